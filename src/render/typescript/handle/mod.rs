//! x
use crate::plan::handle::Handle;
use crate::render::{Files, Refused, Rendered};
pub fn render(_handle: &Handle, _files: &dyn Files) -> Result<Rendered, Refused> { Ok(Rendered::default()) }
