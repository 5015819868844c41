//! The macros for internally tagged enums, closed sets of words, and ids.

/// Declares an enum whose variants are objects told apart by one key.
///
/// With `else Unknown`, a tag that is not listed is kept whole as a [`Raw`](crate::json::Raw) and noted; without, it is
/// an error that names the tag.
macro_rules! wire_tagged {
    (
        $(#[$meta:meta])*
        pub enum $name:ident by $tag:literal {
            $(
                $(#[$variant_meta:meta])*
                $word:literal $variant:ident {
                    $( $(#[$field_meta:meta])* $field:ident : $ty:ty $(=> $mode:ident)?, )*
                }
            )*
        }
        $( else $(#[$unknown_meta:meta])* $unknown:ident )?
    ) => {
        $(#[$meta])*
        pub enum $name {
            $( $(#[$variant_meta])* $variant { $( $(#[$field_meta])* $field: $ty, )* }, )*
            $( $(#[$unknown_meta])* $unknown($crate::json::Raw), )?
        }

        impl $name {
            /// The word that names this variant on the wire.
            #[allow(dead_code)]
            pub fn kind(&self) -> &'static str {
                match self {
                    $( Self::$variant { .. } => $word, )*
                    $( Self::$unknown(_) => stringify!($unknown), )?
                }
            }
        }

        impl $crate::json::Wire for $name {
            fn read(r: &mut $crate::json::Reader<'_>) -> Result<Self, $crate::json::Error> {
                #[allow(clippy::enum_variant_names)]
                enum Place { $($variant),* }
                match r.tag_among($tag, &[$($word),*])? {
                    $(
                        place if place == Place::$variant as usize => {
                            $( $crate::json::wire_field!(slot $field, $ty, $($mode)?); )*
                            let filled = r.fill(Some($tag), &[$( stringify!($field) ),*], &mut [$( &mut $field ),*]);
                            match (filled, $( $crate::json::wire_field!(take $field, $($mode)?), )*) {
                                (Ok(()), $( Some($field), )*) => Ok(Self::$variant { $( $field, )* }),
                                (filled, ..) => Err(r.refused(filled)),
                            }
                        }
                    )*
                    $(
                        _ => {
                            let raw = r.unknown_value()?;
                            $crate::json::Raw::parse(raw).map(Self::$unknown)
                        }
                    )?
                    #[allow(unreachable_patterns)]
                    _ => Err(r.unknown_tag($tag)),
                }
            }

            fn write(&self, w: &mut $crate::json::Writer) {
                match self {
                    $(
                        Self::$variant { $( $field, )* } => w.fields(
                            Some(($tag, $word)),
                            &[$( (stringify!($field), $crate::json::wire_field!(put $field, $($mode)?)) ),*],
                        ),
                    )*
                    $( Self::$unknown(raw) => $crate::json::Wire::write(raw, w), )?
                }
            }
        }
    };
}
pub(crate) use wire_tagged;

/// Declares a closed set of words. Another word is an error.
macro_rules! wire_tokens {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$variant_meta:meta])* $word:literal $variant:ident, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$variant_meta])* $variant, )* }

        impl $name {
            const WORDS: &[&'static str] = &[$($word),*];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                Self::WORDS.get(self as usize).copied().unwrap_or_default()
            }

            /// The variant that this word names.
            pub fn from_word(word: &str) -> Option<Self> {
                let place = $crate::json::place_among(Self::WORDS, word)?;
                [$( Self::$variant ),*].get(place).copied()
            }
        }

        impl $crate::json::Wire for $name {
            fn read(r: &mut $crate::json::Reader<'_>) -> Result<Self, $crate::json::Error> {
                let word = r.string()?;
                Self::from_word(&word).ok_or_else(|| r.unknown_word(&word))
            }

            fn write(&self, w: &mut $crate::json::Writer) {
                w.string(self.as_str());
            }
        }
    };
}
pub(crate) use wire_tokens;

/// Declares an id: opaque text that is cheap to clone and can't be taken for another kind of id.
macro_rules! wire_id {
    ($( $(#[$meta:meta])* $name:ident )*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name($crate::text::Shared);

            impl $name {
                /// The id as text.
                pub fn as_str(&self) -> &str {
                    &self.0
                }

                /// The id as text that can be kept.
                #[allow(dead_code)]
                pub(crate) fn shared(&self) -> &$crate::text::Shared {
                    &self.0
                }
            }

            impl From<&str> for $name {
                fn from(text: &str) -> Self {
                    Self($crate::text::Shared::from(text))
                }
            }

            impl std::fmt::Display for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str(&self.0)
                }
            }

            impl $crate::json::Wire for $name {
                fn read(r: &mut $crate::json::Reader<'_>) -> Result<Self, $crate::json::Error> {
                    $crate::json::Wire::read(r).map(Self)
                }

                fn write(&self, w: &mut $crate::json::Writer) {
                    w.string(&self.0);
                }
            }
        )*
    };
}
pub(crate) use wire_id;
