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
    (read $r:ident, $slot:ident, $ty:ty,) => {
        $slot = Some(<$ty as $crate::json::Wire>::read($r)?)
    };
    (read $r:ident, $slot:ident, $ty:ty, default) => {
        $slot = Some(<$ty as $crate::json::Wire>::read($r)?)
    };
    (read $r:ident, $slot:ident, $ty:ty, $mode:ident) => {
        $slot = if $r.kind()? == $crate::json::Kind::Null {
            $r.null()?;
            None
        } else {
            Some($crate::json::Wire::read($r)?)
        }
    };
    (slot $slot:ident, $ty:ty,) => {
        let mut $slot: Option<$ty> = None;
    };
    (slot $slot:ident, $ty:ty, default) => {
        let mut $slot: Option<$ty> = None;
    };
    (slot $slot:ident, $ty:ty, $mode:ident) => {
        let mut $slot: $ty = None;
    };
    (take $r:ident, $slot:ident, $key:expr,) => {
        match $slot {
            Some(value) => value,
            None => return Err($r.missing($key)),
        }
    };
    (take $r:ident, $slot:ident, $key:expr, default) => {
        $slot.unwrap_or_default()
    };
    (take $r:ident, $slot:ident, $key:expr, $mode:ident) => {
        $slot
    };
    (write $w:ident, $value:expr, $key:expr, optional) => {
        if let Some(value) = $value {
            $w.key($key);
            $crate::json::Wire::write(value, $w);
        }
    };
    (write $w:ident, $value:expr, $key:expr, nullable) => {
        $w.key($key);
        match $value {
            Some(value) => $crate::json::Wire::write(value, $w),
            None => $w.null(),
        }
    };
    (write $w:ident, $value:expr, $key:expr, $($mode:ident)?) => {
        $w.key($key);
        $crate::json::Wire::write($value, $w);
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
                r.object(|r, key| {
                    match key {
                        $( stringify!($field) => { $crate::json::wire_field!(read r, $field, $ty, $($mode)?); } )*
                        _ => r.unknown_key(key)?,
                    }
                    Ok(())
                })?;
                Ok(Self { $( $field: $crate::json::wire_field!(take r, $field, stringify!($field), $($mode)?), )* })
            }

            fn write(&self, w: &mut $crate::json::Writer) {
                w.object(|w| {
                    let _ = &w;
                    $( $crate::json::wire_field!(write w, &self.$field, stringify!($field), $($mode)?); )*
                });
            }
        }
    };
}
pub(crate) use wire_object;
