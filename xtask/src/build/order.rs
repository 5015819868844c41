//! The order of the functions in a module: each stands beside the ones that it is most like. What a compressor finds a
//! second time costs it less the nearer the first time was, so the same module is 2 to 3 % smaller on the wire.

use crate::failure::{Context, Outcome};
use std::collections::{BTreeMap, HashMap, HashSet};
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{CodeSectionReader, FunctionBody, FunctionSectionReader, Parser, Payload, TypeRef};

/// Two functions are the more alike the more runs of so many bytes they share.
const RUN: usize = 4;
/// What likeness to a function weighs for the next but one, beside likeness to the one before it.
const FADING: f64 = 0.5;

/// The same module with its functions in order.
pub fn by_likeness(module: &[u8]) -> Outcome<Vec<u8>> {
    let (mut imported, mut bodies) = (0, Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload.context("reading the optimised module")? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import.context("reading the optimised module's imports")?;
                    imported += u32::from(matches!(import.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            _ => (),
        }
    }
    let order = order(&bodies);
    let place = (imported..).zip(&order).map(|(place, &index)| (imported + index as u32, place)).collect();
    let mut ordered = Module::new();
    Ordering { order, place }
        .parse_core_module(&mut ordered, Parser::new(0), module)
        .context("ordering the functions of a module")?;
    Ok(ordered.finish())
}

/// From the largest function on, always the one that is most like those just before it.
fn order(bodies: &[&[u8]]) -> Vec<usize> {
    let runs: Vec<HashSet<&[u8]>> = bodies.iter().map(|body| body.windows(RUN).collect()).collect();
    let mut with: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (index, runs) in runs.iter().enumerate() {
        runs.iter().for_each(|run| with.entry(run).or_default().push(index));
    }
    let mut left: BTreeMap<usize, f64> = (0..bodies.len()).map(|index| (index, 0.0)).collect();
    let mut order = Vec::new();
    let mut next = (0..bodies.len()).rev().max_by_key(|&index| bodies.get(index).map(|body| body.len()));
    while let Some((index, own)) = next.and_then(|index| Some((index, runs.get(index)?))) {
        order.push(index);
        left.remove(&index);
        let mut common: HashMap<usize, usize> = HashMap::new();
        for other in own.iter().filter_map(|run| with.get(run)).flatten() {
            *common.entry(*other).or_default() += 1;
        }
        for (other, likeness) in &mut left {
            let common = common.get(other).copied().unwrap_or_default();
            let all = own.len() + runs.get(*other).map_or(0, HashSet::len) - common;
            *likeness = *likeness * FADING + common as f64 / all.max(1) as f64;
        }
        next = left.iter().rev().max_by(|one, two| one.1.total_cmp(two.1)).map(|(index, _)| *index);
    }
    order
}

/// Writes a module anew, with its functions in another order.
struct Ordering {
    /// The functions of the module, in the order to come, as places in the code section so far.
    order: Vec<usize>,
    /// Their new indices by their old ones.
    place: HashMap<u32, u32>,
}

impl Ordering {
    fn ordered<T: Clone>(&self, all: &[T]) -> Vec<T> {
        self.order.iter().filter_map(|index| all.get(*index)).cloned().collect()
    }
}

impl Reencode for Ordering {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32, Error> {
        Ok(self.place.get(&index).copied().unwrap_or(index))
    }

    fn parse_function_section(
        &mut self,
        out: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        let types = section.into_iter().collect::<Result<Vec<u32>, _>>()?;
        for kind in self.ordered(&types) {
            out.function(self.type_index(kind)?);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, out: &mut CodeSection, section: CodeSectionReader<'_>) -> Result<(), Error> {
        let bodies = section.into_iter().collect::<Result<Vec<FunctionBody<'_>>, _>>()?;
        for body in self.ordered(&bodies) {
            utils::parse_function_body(self, out, body)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as AnyError;
    use wasm_encoder::{
        ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function, ImportSection, RefType,
        TableSection, TableType, TypeSection,
    };
    use wasmparser::{ElementItems, Operator};

    #[test]
    fn the_largest_is_first_and_then_what_is_most_like_it() {
        assert_eq!(order(&[b"abcdefgh", b"12345678", b"0abcdefghi0", b"1234567"]), [2, 0, 1, 3]);
        assert_eq!(order(&[]), [0; 0]);
    }

    #[test]
    fn calls_exports_and_tables_find_their_functions_in_another_place() -> Result<(), Box<dyn AnyError>> {
        let before = module();
        let after = by_likeness(&before).map_err(|failure| failure.to_string())?;
        let (listed, what) = functions(&before)?;
        let (listed_after, what_after) = functions(&after)?;
        assert_eq!(listed, ["small", "adds", "other", "adds too"]);
        assert_eq!(listed_after, ["adds too", "adds", "small", "other"]);
        assert_eq!(what, what_after);
        Ok(())
    }

    /// Four functions with the names that they are exported under, all in a table; each calls the one before it, and the
    /// first of them the import.
    fn module() -> Vec<u8> {
        let (mut types, mut imports, mut functions) =
            (TypeSection::new(), ImportSection::new(), FunctionSection::new());
        let (mut tables, mut exports) = (TableSection::new(), ExportSection::new());
        let (mut elements, mut code) = (ElementSection::new(), CodeSection::new());
        types.ty().function([], []);
        imports.import("page", "call", EntityType::Function(0));
        let element_type = RefType::FUNCREF;
        tables.table(TableType { element_type, table64: false, minimum: 4, maximum: None, shared: false });
        let bodies: [(&str, &[i64]); 4] =
            [("small", &[]), ("adds", &[70, 71, 72]), ("other", &[9]), ("adds too", &[70, 71, 72, 73])];
        for (before, (name, constants)) in (0..).zip(bodies) {
            functions.function(0);
            exports.export(name, ExportKind::Func, before + 1);
            let mut body = Function::new([]);
            let mut to = body.instructions();
            for constant in constants {
                to.i64_const(*constant).drop();
            }
            to.call(before).end();
            code.function(&body);
        }
        elements.active(None, &ConstExpr::i32_const(0), Elements::Functions([1, 2, 3, 4].as_slice().into()));
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&tables).section(&exports);
        module.section(&elements).section(&code);
        module.finish()
    }

    /// The names in the order of the module; and by name what each contains, with the table as one more.
    type Contents = (Vec<String>, BTreeMap<String, (Vec<i64>, Option<String>)>);

    fn functions(module: &[u8]) -> Result<Contents, Box<dyn AnyError>> {
        let (mut names, mut bodies, mut table) = (BTreeMap::new(), Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        names.insert(export.index, export.name.to_owned());
                    }
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        if let ElementItems::Functions(items) = element?.items {
                            table.extend(items.into_iter().collect::<Result<Vec<_>, _>>()?);
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => bodies.push(body),
                _ => (),
            }
        }
        let mut what = BTreeMap::new();
        for (index, body) in (1..).zip(&bodies) {
            let (mut constants, mut called) = (Vec::new(), None);
            for operator in body.get_operators_reader()? {
                match operator? {
                    Operator::I64Const { value } => constants.push(value),
                    Operator::Call { function_index } => called = names.get(&function_index).cloned(),
                    _ => (),
                }
            }
            what.insert(names.get(&index).cloned().unwrap_or_default(), (constants, called));
        }
        let listed = table.iter().filter_map(|index| names.get(index)).cloned().collect::<Vec<_>>().join(", ");
        what.insert("the table".to_owned(), (Vec::new(), Some(listed)));
        Ok((names.into_values().collect(), what))
    }
}
