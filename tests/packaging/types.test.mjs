// Whoever points at a name of the package in an editor reads what it is: every exported type says so, with each of its
// members, and each object of a union.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import { Project, TOOLS } from "./support/project.mjs";

// The compiler's own reader; version 7 has none that a script could call.
const ts = createRequire(path.join(TOOLS, "package.json"))("typescript-6");

let project;
before(async () => (project = await Project.make("types", {})));
after(() => project?.remove());

/** The names in a type file that no comment explains. */
function* unexplained(text, file = "types.d.ts") {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const isSaid = (node) => (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).some(({ pos }) => text.startsWith("/**", pos));
  // `kind: "user"` says what it is by itself.
  const isWord = ({ type }) => type && ts.isLiteralTypeNode(type) && type.literal.kind !== ts.SyntaxKind.NullKeyword;

  function* members(node, name) {
    for (const member of node.members) {
      if (!isSaid(member) && !isWord(member)) yield `${name}.${member.name?.getText() ?? "constructor"}`;
    }
  }

  function* objects(union, name) {
    let end = union.getFullStart();
    for (const type of union.types) {
      // The comment stands before the bar, which is no part of the type.
      const has = ts.isTypeLiteralNode(type) && type.members.some(ts.isPropertySignature);
      if (has && !text.slice(end, type.getStart()).includes("/**")) yield `${name}: ${type.getText()}`;
      end = type.getEnd();
    }
  }

  for (const statement of source.statements) {
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported || !statement.name) continue;
    const name = statement.name.getText();
    if (!isSaid(statement)) yield name;
    if (ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)) yield* members(statement, name);
    if (ts.isTypeAliasDeclaration(statement) && ts.isUnionTypeNode(statement.type)) yield* objects(statement.type, name);
  }
}

test("every exported type explains itself, its members, and the objects of its unions", async () => {
  const folder = project.path("node_modules/threadfold");
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
  assert.ok(files.length >= 8, files.join());
  const found = [];
  for (const file of files) for (const name of unexplained(await readFile(path.join(folder, file), "utf8"), file)) found.push(`${file}: ${name}`);
  assert.deepEqual(found, []);
});

test("what is not explained is seen", () => {
  const text = `
    export interface A {
      /** One. */
      a: 1;
      b: string;
    }
    /** A union. */
    export type B = /** This. */ | { x: string } | { y: string };
    /** A class. */
    export class C {
      constructor();
      readonly name: "C";
      /** Twice. */
      d(): void;
      d(x: string): void;
    }
    interface Own { z: string }`;
  assert.deepEqual([...unexplained(text)], ["A", "A.b", "B: { y: string }", "C.constructor", "C.d"]);
});
