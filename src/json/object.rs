//! The macro for objects: each field named once, for the type, for reading and for writing.

/// How a field stands on the wire.
///
/// | mode | read when absent | read when null | written when empty |
/// |---|---|---|---|
/// | (none) | an error | as the type says | always |
/// | `optional` | `None` | `None` | left out |
/// | `nullable` | `None` | `None` | as `null` |
/// | `default` | the default | as the type says | always |
macro_rules! wire_field {
    (slot $slot:ident, $ty:ty,) => {
        let mut $slot: Option<$ty> = None;
    };
    (slot $slot:ident, $ty:ty, default) => {
        let mut $slot = $crate::json::Defaulted::<$ty>::default();
    };
    (slot $slot:ident, $ty:ty, $mode:ident) => {
        let mut $slot = $crate::json::Lenient::<$ty>(None);
    };
    (take $slot:ident,) => {
        $slot
    };
    (take $slot:ident, $mode:ident) => {
        Some($slot.0)
    };
    (put $value:expr, optional) => {
        &$crate::json::IfSome($value)
    };
    (put $value:expr, nullable) => {
        &$crate::json::OrNull($value)
    };
    (put $value:expr, $($mode:ident)?) => {
        $value
    };
}
pub(crate) use wire_field;

/// Declares a struct whose keys are its fields' names.
macro_rules! wire_object {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$field_meta:meta])* $field_vis:vis $field:ident : $ty:ty $(=> $mode:ident)?, )*
        }
    ) => {
        $(#[$meta])*
        $vis struct $name { $( $(#[$field_meta])* $field_vis $field: $ty, )* }

        impl $crate::json::Wire for $name {
            fn read(r: &mut $crate::json::Reader<'_>) -> Result<Self, $crate::json::Error> {
                $( $crate::json::wire_field!(slot $field, $ty, $($mode)?); )*
                let filled = r.fill(None, &[$( stringify!($field) ),*], &mut [$( &mut $field ),*]);
                // One way out for all that fails, so that what was read is freed in one place.
                match (filled, $( $crate::json::wire_field!(take $field, $($mode)?), )*) {
                    (Ok(()), $( Some($field), )*) => Ok(Self { $( $field, )* }),
                    (filled, ..) => Err(r.refused(filled)),
                }
            }

            fn write(&self, w: &mut $crate::json::Writer) {
                w.fields(None, &[$( (stringify!($field), $crate::json::wire_field!(put &self.$field, $($mode)?)) ),*]);
            }
        }
    };
}
pub(crate) use wire_object;
