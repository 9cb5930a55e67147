/** Finds the root of a file's project and the program of a language server. */
import { basename, delimiter, dirname, extname, join } from "node:path";

import { compileGlob, type MachineFiles } from "@tau/sys";
import type { Env } from "@tau/utils";

import { limits } from "../limits.ts";
import type { ServerRow } from "./server-row.ts";

/** The language of a file as a server calls it; undefined if the server does not know such files. */
export function languageOf({ files }: ServerRow, path: string): string | undefined {
	return files[basename(path)] ?? files[extname(path)] ?? files[extname(path).toLowerCase()];
}

type Files = Pick<MachineFiles, "stat" | "list" | "read">;

/** The topmost directory above a file, up to `top`, that has one of the markers: one server knows the whole project. */
export async function findRoot(
	files: Files,
	{ roots }: Pick<ServerRow, "roots">,
	path: string,
	top: string,
): Promise<string | undefined> {
	let directory = dirname(path);
	let found: string | undefined;
	for (let depth = 0; depth < limits.rootParents; depth++) {
		if (await hasMarker(files, directory, roots)) found = directory;
		if (directory === top || directory === dirname(directory)) break;
		directory = dirname(directory);
	}
	return found;
}

async function hasMarker(files: Files, directory: string, markers: readonly string[]): Promise<boolean> {
	const plain = markers.filter((marker) => !marker.includes("*"));
	for (const marker of plain) {
		if (await exists(files, join(directory, marker))) return true;
	}
	if (plain.length === markers.length) return false;
	const names = await files.list(directory).catch(() => []);
	const patterns = markers.filter((marker) => marker.includes("*")).map((marker) => compileGlob(marker));
	return names.some(({ name }) => patterns.some((matches) => matches(name)));
}

/** Where a program may be: the project's own before the user's, and those of editors last. */
function programDirectories(root: string, env: Env): string[] {
	const home = env.HOME ?? "";
	const virtual = [env.VIRTUAL_ENV, env.CONDA_PREFIX, join(root, ".venv"), join(root, "venv")];
	const users = [
		".local/bin",
		"go/bin",
		".cargo/bin",
		".dotnet/tools",
		".bun/bin",
		".deno/bin",
		".npm-global/bin",
	];
	const editors = [
		".local/share/nvim/mason/bin",
		"AppData/Local/nvim-data/mason/bin",
		".local/share/zed/languages/bin",
	];
	return [
		...ownDirectories(root),
		...virtual.flatMap((directory) =>
			directory ? [join(directory, "bin"), join(directory, "Scripts")] : [],
		),
		...(env.PATH ?? "").split(delimiter).filter(Boolean),
		...(home === "" ? [] : [...users, ...editors].map((directory) => join(home, directory))),
	];
}

/** Where npm puts the programs of the project. */
function ownDirectories(root: string): string[] {
	const directories: string[] = [];
	for (let at = root; ; at = dirname(at)) {
		directories.push(join(at, "node_modules/.bin"));
		if (at === dirname(at)) return directories;
	}
}

/** Programs that editors keep below a directory with a version in its name. */
const editorPrograms: Readonly<
	Record<string, readonly { within: string; extension: string; program: string }[]>
> = {
	"rust-analyzer": [
		{ within: "extensions", extension: "rust-lang.rust-analyzer-", program: "server/rust-analyzer" },
	],
	clangd: [
		{
			within: "globalStorage",
			extension: "llvm-vs-code-extensions.vscode-clangd",
			program: "install/*/clangd_*/bin/clangd",
		},
	],
	"lua-language-server": [
		{ within: "extensions", extension: "sumneko.lua-", program: "server/bin/lua-language-server" },
	],
	"terraform-ls": [{ within: "extensions", extension: "hashicorp.terraform-", program: "bin/terraform-ls" }],
	zls: [{ within: "globalStorage", extension: "ziglang.vscode-zig", program: "zls/*/zls" }],
	ruff: [{ within: "extensions", extension: "charliermarsh.ruff-", program: "bundled/libs/bin/ruff" }],
	"elixir-ls": [
		{
			within: "extensions",
			extension: "jakebecker.elixir-ls-",
			program: "elixir-ls-release/language_server.sh",
		},
	],
};

const editorHomes: Readonly<Record<string, readonly string[]>> = {
	extensions: [
		".vscode/extensions",
		".vscode-server/extensions",
		".cursor/extensions",
		".vscode-oss/extensions",
	],
	globalStorage: [
		".config/Code/User/globalStorage",
		".config/Cursor/User/globalStorage",
		"Library/Application Support/Code/User/globalStorage",
	],
};

/** The whole command line, with the program's path; undefined if the program is not there. */
export async function findProgram(
	files: Files,
	row: ServerRow,
	root: string,
	env: Env,
): Promise<readonly [string, ...string[]] | undefined> {
	const [program, ...args] = row.command;
	if (row.ownPackage) return ownProgram(files, row, ownDirectories(root));
	const directories = programDirectories(root, env);
	for (const name of [program, ...(row.alsoCalled ?? [])]) {
		const found = name.includes("/")
			? await runnable(files, name)
			: ((await firstRunnable(files, directories, name)) ?? (await inEditors(files, name, env)));
		if (found !== undefined) return [found, ...args];
	}
	return undefined;
}

/** A program of a package that the project itself has installed, in a version that can do it. */
async function ownProgram(
	files: Files,
	{ command: [program, ...args], ownPackage }: ServerRow,
	directories: readonly string[],
): Promise<readonly [string, ...string[]] | undefined> {
	if (!ownPackage) return undefined;
	for (const bin of directories) {
		const manifest = join(dirname(bin), ownPackage.name, "package.json");
		const text = await files
			.read(manifest, { signal: AbortSignal.timeout(limits.requestMs), maxBytes: 256 * 1024 })
			.then(
				(bytes) => Buffer.from(bytes).toString(),
				() => undefined,
			);
		if (text === undefined) continue;
		const major = Number(/"version"\s*:\s*"(\d+)/.exec(text)?.[1]);
		const found = major >= ownPackage.major ? await runnable(files, join(bin, program)) : undefined;
		return found === undefined ? undefined : [found, ...args];
	}
	return undefined;
}

async function firstRunnable(
	files: Files,
	directories: readonly string[],
	name: string,
): Promise<string | undefined> {
	const names = process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`, name] : [name];
	for (const directory of directories) {
		for (const each of names) {
			const found = await runnable(files, join(directory, each));
			if (found !== undefined) return found;
		}
	}
	return undefined;
}

async function inEditors(files: Files, name: string, { HOME: home }: Env): Promise<string | undefined> {
	if (!home) return undefined;
	for (const { within, extension, program } of editorPrograms[name] ?? []) {
		for (const parent of editorHomes[within] ?? []) {
			const found = await newest(files, join(home, parent), extension, program);
			if (found !== undefined) return found;
		}
	}
	return undefined;
}

/** Of several versions the one whose name sorts last. */
async function newest(
	files: Files,
	parent: string,
	prefix: string,
	program: string,
): Promise<string | undefined> {
	const entries = await files.list(parent).catch(() => []);
	const names = entries.map(({ name }) => name).filter((name) => name.startsWith(prefix));
	for (const name of names.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }))) {
		const found = await matching(files, join(parent, name), program.split("/"));
		if (found !== undefined) return found;
	}
	return undefined;
}

async function matching(
	files: Files,
	directory: string,
	[part, ...rest]: readonly string[],
): Promise<string | undefined> {
	if (part === undefined) return runnable(files, directory);
	if (!part.includes("*")) return matching(files, join(directory, part), rest);
	const matches = compileGlob(part);
	const entries = await files.list(directory).catch(() => []);
	for (const { name } of entries.toReversed()) {
		const found = matches(name) ? await matching(files, join(directory, name), rest) : undefined;
		if (found !== undefined) return found;
	}
	return undefined;
}

async function runnable(files: Files, path: string): Promise<string | undefined> {
	const facts = await files.stat(path).catch(() => undefined);
	return facts?.kind === "file" ? path : undefined;
}

async function exists(files: Files, path: string): Promise<boolean> {
	return (await files.stat(path).catch(() => undefined)) !== undefined;
}
