//! Imports.

use ruff_python_ast::{Alias, Identifier, StmtImport, StmtImportFrom};
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    pub(super) fn import(&mut self, it: &StmtImport) -> Built {
        let (start, end) = (it.start().to_u32(), it.end().to_u32());
        if it.is_lazy {
            return Err(Bail);
        }
        let node = self.tree.open(K::Import, F::None, start);
        for alias in &it.names {
            self.alias(alias);
        }
        self.tree.close(node, end);
        Ok(end)
    }

    pub(super) fn import_from(&mut self, it: &StmtImportFrom) -> Built {
        let (start, end) = (it.start().to_u32(), it.end().to_u32());
        if it.is_lazy {
            return Err(Bail);
        }
        if it.level == 0 && it.module.as_ref().is_some_and(|module| module.as_str() == "__future__") {
            self.tree.leaf(K::FutureImport, F::None, start, end);
            return Ok(end);
        }
        let node = self.tree.open(K::ImportFrom, F::None, start);
        let from = self.skip(start + 4);
        match &it.module {
            Some(module) if it.level == 0 => self.dotted(module, F::ModuleName),
            Some(module) => self.tree.leaf(K::RelativeImport, F::ModuleName, from, module.end().to_u32()),
            None => {
                let mut dots = from;
                for _ in 0..it.level {
                    dots = self.token(dots, ".")?;
                }
                self.tree.leaf(K::RelativeImport, F::ModuleName, from, dots);
            }
        }
        for alias in &it.names {
            if alias.name.as_str() == "*" {
                self.tree.leaf(K::WildcardImport, F::None, alias.start().to_u32(), alias.end().to_u32());
            } else {
                self.alias(alias);
            }
        }
        self.tree.close(node, end);
        Ok(end)
    }

    fn alias(&mut self, alias: &Alias) {
        let Some(local) = &alias.asname else { return self.dotted(&alias.name, F::Name) };
        let node = self.tree.open(K::AliasedImport, F::Name, alias.start().to_u32());
        self.dotted(&alias.name, F::Name);
        let (start, end) = (local.start().to_u32(), local.end().to_u32());
        self.tree.leaf(K::Identifier, F::Alias, start, end);
        self.tree.close(node, end);
    }

    /// A name with dots; of its segments the first alone is asked for.
    fn dotted(&mut self, name: &Identifier, field: F) {
        let (start, end) = (name.start().to_u32(), name.end().to_u32());
        let node = self.tree.open(K::DottedName, field, start);
        let ends = |byte: &u8| matches!(byte, b'.' | b' ' | b'\t' | b'\\' | b'\r' | b'\n' | b'\x0c' | b'#');
        let length = self.bytes[start as usize..end as usize].iter().position(ends);
        self.tree.leaf(K::Identifier, F::None, start, length.map_or(end, |length| start + length as u32));
        self.tree.close(node, end);
    }
}
