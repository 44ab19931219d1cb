//! What an expression is known to be, as far as conditions care.

/// A value, known in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing reaches this place (yet).
    Never,
    /// `undefined`.
    Absent,
    /// `undefined` for want of a session: its id, and what is looked up by it.
    Gone,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// The number 0.
    Zero,
    /// A string.
    Text(String),
    /// A table without entries.
    Table,
    /// A list without elements.
    Empty,
    /// An object whose fields are known in part: those that hold something, and those that hold nothing.
    Record(Vec<(String, Value)>),
    /// Something that counts as true.
    Some,
    /// Something that counts as false.
    Falsy,
    /// Anything.
    Unknown,
}

impl Value {
    /// Whether it counts as true.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Absent | Self::Gone | Self::Null | Self::Bool(false) | Self::Zero | Self::Falsy => Some(false),
            Self::Text(text) => Some(!text.is_empty()),
            Self::Bool(true) | Self::Table | Self::Empty | Self::Record(_) | Self::Some => Some(true),
            Self::Never | Self::Unknown => None,
        }
    }

    /// Whether it is `undefined` or `null`.
    pub fn nullish(&self) -> Option<bool> {
        match self {
            Self::Absent | Self::Gone | Self::Null => Some(true),
            Self::Falsy | Self::Never | Self::Unknown => None,
            _ => Some(false),
        }
    }

    /// What it is where it may be either.
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, value) | (value, Self::Never) => value,
            (a, b) if a == b => a,
            (Self::Absent, Self::Gone) | (Self::Gone, Self::Absent) => Self::Absent,
            (Self::Record(a), Self::Record(b)) => {
                Self::Record(a.into_iter().filter(|field| b.contains(field)).collect())
            }
            (a, b) => match (a.truth(), b.truth()) {
                (Some(true), Some(true)) => Self::Some,
                (Some(false), Some(false)) => Self::Falsy,
                _ => Self::Unknown,
            },
        }
    }

    /// `typeof`, where it is known.
    pub fn type_name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Absent | Self::Gone => "undefined",
            Self::Null | Self::Table | Self::Empty | Self::Record(_) => "object",
            Self::Bool(_) => "boolean",
            Self::Zero => "number",
            Self::Text(_) => "string",
            Self::Never | Self::Some | Self::Falsy | Self::Unknown => return None,
        })
    }

    /// Whether two values are equal, by `===` (`strict`) or `==`.
    pub fn equals(&self, other: &Self, strict: bool) -> Option<bool> {
        match (self.plain(), other.plain()) {
            (Self::Absent, Self::Absent) | (Self::Null, Self::Null) | (Self::Zero, Self::Zero) => Some(true),
            (Self::Absent, Self::Null) | (Self::Null, Self::Absent) => Some(!strict),
            (Self::Text(a), Self::Text(b)) => Some(a == b),
            (Self::Bool(a), Self::Bool(b)) => Some(a == b),
            (Self::Never | Self::Unknown, _) | (_, Self::Never | Self::Unknown) => None,
            // What counts as true is neither absent nor false nor zero; two things that count alike may be the same.
            (a, b) => match (a.truth(), b.truth()) {
                (Some(x), Some(y)) if x != y => Some(false),
                _ => match (a.nullish(), b.nullish()) {
                    (Some(x), Some(y)) if x != y => Some(false),
                    _ => None,
                },
            },
        }
    }

    /// Without the reason why it is absent.
    fn plain(&self) -> &Self {
        if *self == Self::Gone { &Self::Absent } else { self }
    }

    /// A boolean, where it is known.
    pub fn of_bool(value: Option<bool>) -> Self {
        value.map_or(Self::Unknown, Self::Bool)
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn joined_values_keep_what_they_share() {
        assert_eq!(Value::Never.join(Value::Absent), Value::Absent);
        assert_eq!(Value::Absent.join(Value::Bool(false)), Value::Falsy);
        assert_eq!(Value::Some.join(Value::Absent), Value::Unknown);
        assert_eq!(Value::Text("a".into()).join(Value::Table), Value::Some);
    }

    #[test]
    fn equality_is_known_where_the_kinds_tell() {
        assert_eq!(Value::Absent.equals(&Value::Null, true), Some(false));
        assert_eq!(Value::Absent.equals(&Value::Null, false), Some(true));
        assert_eq!(Value::Some.equals(&Value::Absent, true), Some(false));
        assert_eq!(Value::Some.equals(&Value::Some, true), None);
        assert_eq!(Value::Text("GET".into()).equals(&Value::Text("POST".into()), true), Some(false));
    }
}
