/** Reads what the manifests of the common ecosystems say about a project. */
import type { Entry } from "./listing.ts";

export interface Manifest {
	file: string;
	name?: string;
	description?: string;
	/** Commands that the project itself defines, as a user types them. */
	commands: string[];
	/** The command that starts the project, as far as the manifest says. */
	start: string[];
	/** The file exists, but is invalid. */
	unreadable?: true;
}

type Reader = (text: string, entries: readonly Entry[]) => Omit<Manifest, "file"> | undefined;

const readers: Readonly<Record<string, Reader>> = {
	"package.json": readPackage,
	"deno.json": (text) => readTasks(parseJson(text), "tasks", "deno task"),
	"composer.json": (text) => readTasks(parseJson(text), "scripts", "composer run"),
	"Cargo.toml": readCargo,
	"pyproject.toml": readPyproject,
	"go.mod": readGoMod,
	Makefile: readMakefile,
};

export const manifestFiles: readonly string[] = Object.keys(readers);

export function readManifest(file: string, text: string, entries: readonly Entry[]): Manifest {
	return { file, ...(readers[file]?.(text, entries) ?? { commands: [], start: [], unreadable: true }) };
}

/** The lock file reveals the package manager of a project. */
function packageManager(entries: readonly Entry[]): string {
	const has = (...files: string[]) => entries.some((entry) => files.includes(entry.name));
	if (has("bun.lock", "bun.lockb")) return "bun";
	if (has("pnpm-lock.yaml")) return "pnpm";
	return has("yarn.lock") ? "yarn" : "npm";
}

function readPackage(text: string, entries: readonly Entry[]): ReturnType<Reader> {
	const json = parseJson(text);
	if (!json) return undefined;
	const manager = packageManager(entries);
	const scripts = Object.keys(record(json.scripts));
	const first = ["start", "dev", "build", "test"].filter((name) => scripts.includes(name)).slice(0, 2);
	return {
		...about(json),
		commands: scripts.map((name) => `${manager} run ${name}`),
		start: [`${manager} install`, ...first.map((name) => `${manager} run ${name}`)],
	};
}

function readTasks(json: Fields | undefined, field: string, command: string): ReturnType<Reader> {
	if (!json) return undefined;
	const commands = Object.keys(record(json[field])).map((name) => `${command} ${name}`);
	return { ...about(json), commands, start: commands.slice(0, 1) };
}

function readCargo(text: string): ReturnType<Reader> {
	const toml = parseToml(text);
	return toml && { ...about(record(toml.package)), commands: [], start: ["cargo build", "cargo test"] };
}

function readPyproject(text: string): ReturnType<Reader> {
	const toml = parseToml(text);
	if (!toml) return undefined;
	const project = record(toml.project ?? record(toml.tool).poetry);
	return { ...about(project), commands: Object.keys(record(project.scripts)), start: ["pip install -e ."] };
}

function readGoMod(text: string): ReturnType<Reader> {
	const name = /^module\s+(\S+)/m.exec(text)?.[1];
	return name === undefined ? undefined : { name, commands: [], start: ["go build ./...", "go test ./..."] };
}

function readMakefile(text: string): ReturnType<Reader> {
	const targets = [...text.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)/gm)].flatMap((match) => match[1] ?? []);
	return {
		commands: [...new Set(targets)].map((target) => `make ${target}`),
		start: targets.length > 0 ? ["make"] : [],
	};
}

type Fields = Record<string, unknown>;

function about(fields: Fields): { name?: string; description?: string } {
	const { name, description } = fields;
	return {
		...(typeof name === "string" && name !== "" ? { name } : {}),
		...(typeof description === "string" && description !== "" ? { description } : {}),
	};
}

function record(value: unknown): Fields {
	return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(text: string): Fields | undefined {
	return parsed(() => JSON.parse(text));
}

function parseToml(text: string): Fields | undefined {
	return parsed(() => Bun.TOML.parse(text));
}

function parsed(parse: () => unknown): Fields | undefined {
	try {
		const value = parse();
		return isRecord(value) ? value : undefined;
	} catch {
		// A broken file of the project is a fact to report, which `undefined` does.
		return undefined;
	}
}
