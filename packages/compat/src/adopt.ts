/** Lets the modules of an extension of pi or omp import packages whose directories are those of that program. */
import { readFileSync, realpathSync } from "node:fs";
import { dirname, extname, join, sep } from "node:path";

import { plugin, type Loader } from "bun";
import { isRecord } from "@tau/utils";

import { directoryPackages, mainExports, scopes, variantOf } from "./install.ts";
import { programs, type Program } from "./support/directories.ts";

const adopted = new Set<string>();

export async function adoptExtension(
	path: string,
	named: string,
): Promise<Readonly<Record<string, unknown>>> {
	const program = programs.find((each) => each === named);
	if (!program) return mainExports();
	const file = realpathSync(path);
	const root = rootOf(file, program);
	renameImports(`${RegExp.escape(root + sep)}.*\\.(?:m?ts|tsx|mjs)`, program);
	// Bun reads a CommonJS module that comes from a plugin as an ES module, so `.js` has to be known to be one.
	const esPackage = esPackageOf(file, root);
	if (esPackage !== undefined)
		renameImports(`${RegExp.escape(esPackage + sep)}(?!node_modules/).*\\.js`, program);
	return mainExports(program);
}

/** Everything below the program's directory is its own; for an extension that is linked from there, what is beside it. */
function rootOf(file: string, program: Program): string {
	const parts = file.split(sep);
	const at = parts.lastIndexOf(`.${program}`);
	return at > 0 ? parts.slice(0, at + 1).join(sep) : dirname(file);
}

function esPackageOf(file: string, root: string): string | undefined {
	for (let at = dirname(file); at.startsWith(root); at = dirname(at)) {
		try {
			const manifest: unknown = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
			return isRecord(manifest) && manifest.type === "module" ? at : undefined;
		} catch {
			// Without a readable manifest the one above is used, as in Node.
		}
	}
	return undefined;
}

const loaders: Readonly<Record<string, Loader>> = { ".ts": "ts", ".mts": "ts", ".tsx": "tsx" };

/** Bun asks plugins only about names that look like files, so the import statements themselves are changed. */
const imports = new RegExp(
	`(["'])((?:${scopes.join("|")})/(?:${directoryPackages.join("|")})(?:/[\\w./-]+)?)\\1`,
	"g",
);

function renameImports(files: string, program: Program): void {
	if (adopted.has(files)) return;
	adopted.add(files);
	plugin({
		name: `tau-${program}-extensions`,
		setup(build) {
			build.onLoad({ filter: new RegExp(`^${files}(?:\\?.*)?$`) }, ({ path }) => {
				// The name of a module that is loaded again has a query.
				const file = path.replace(/\?.*$/, "");
				const contents = readFileSync(file, "utf8").replace(
					imports,
					(_, quote: string, name: string) => quote + variantOf(name, program) + quote,
				);
				return { contents, loader: loaders[extname(file)] ?? "jsx" };
			});
		},
	});
}
