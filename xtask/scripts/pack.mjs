// Packs pkg/ and conformance/ as they would be published, and prints what each file in them weighs. Arguments: the
// repository's root, the folder for the tarballs, which are named threadfold.tgz and threadfold-conformance.tgz whatever
// the version.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [root, out] = process.argv.slice(-2);
mkdirSync(out, { recursive: true });
for (const [folder, name] of [["pkg", "threadfold"], ["conformance", "threadfold-conformance"]]) pack(join(root, folder), join(out, `${name}.tgz`));

function pack(folder, tarball) {
  // A package carries its licences.
  for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(root, licence), join(folder, licence));
  const npm = ["pack", "--json", "--ignore-scripts", "--pack-destination", out];
  const packed = JSON.parse(execFileSync("npm", npm, { cwd: folder, encoding: "utf8" }));
  // npm 11 prints an array, later ones an object by the package's name.
  const [{ filename, files, size, unpackedSize }] = Array.isArray(packed) ? packed : Object.values(packed);
  renameSync(join(out, filename), tarball);
  row("raw", "gzip", "brotli", "");
  for (const { path } of files) {
    const bytes = readFileSync(join(folder, path));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    row(bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes, { params }).length, path);
  }
  console.log(`${files.length} files, ${unpackedSize} bytes; packed ${size} bytes: ${tarball}`);
}

function row(raw, gzip, brotli, name) {
  console.log(`${String(raw).padStart(9)} ${String(gzip).padStart(9)} ${String(brotli).padStart(9)}  ${name}`);
}
