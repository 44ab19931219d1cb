//! How statements end.

/// How a statement can end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Exit(u8);

impl Exit {
    /// In no way that is known yet.
    pub(super) const NONE: Self = Self(0);
    /// Runs on to what follows.
    pub(super) const FALLS: Self = Self(1);
    /// Leaves the loop or switch around it.
    pub(super) const BREAKS: Self = Self(2);
    /// Goes on with the loop around it.
    pub(super) const CONTINUES: Self = Self(4);
    /// Leaves the function.
    pub(super) const RETURNS: Self = Self(8);
    /// `break` and `continue`.
    pub(super) const LOOP: Self = Self(2 | 4);

    /// Either way.
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// But not that way.
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether it may end in one of these ways.
    pub(super) fn may(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// One after the other.
    pub(super) fn then(self, next: Self) -> Self {
        if self.may(Self::FALLS) { self.without(Self::FALLS).or(next) } else { self }
    }

    /// Never runs on to what follows.
    pub(super) fn leaves(self) -> bool {
        !self.may(Self::FALLS)
    }

    /// A loop's or switch's own `break` and `continue` end inside it.
    pub(super) fn contained(self, own: Self) -> Self {
        if self.may(own) { self.without(own).or(Self::FALLS) } else { self }
    }
}
