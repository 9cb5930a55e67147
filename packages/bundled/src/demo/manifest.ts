/** What the manifests of the common ecosystems say about a project. */
import { isRecord } from "@tau/utils";

export interface Manifest {
	name?: string;
	description?: string;
	/** Commands that the project itself defines, as a user types them. */
	commands: string[];
	/** What starts the project, as far as the manifest says. */
	start: string[];
}

/** Undefined for a file that is malformed. */
export function readManifest(file: string, text: string, files: readonly string[]): Manifest | undefined {
	try {
		return readers[file]?.(text, files);
	} catch {
		// A broken file of the project is a fact to report, which `undefined` does.
		return undefined;
	}
}

const readers: Readonly<Record<string, (text: string, files: readonly string[]) => Manifest | undefined>> = {
	"package.json"(text, files) {
		const json = record(JSON.parse(text));
		const manager = packageManager(files);
		const scripts = Object.keys(record(json.scripts));
		const first = ["start", "dev", "build", "test"].filter((name) => scripts.includes(name)).slice(0, 2);
		return {
			...about(json),
			commands: scripts.map((name) => `${manager} run ${name}`),
			start: [`${manager} install`, ...first.map((name) => `${manager} run ${name}`)],
		};
	},
	"Cargo.toml": (text) => ({
		...about(record(record(Bun.TOML.parse(text)).package)),
		commands: [],
		start: ["cargo build", "cargo test"],
	}),
	"pyproject.toml"(text) {
		const toml = record(Bun.TOML.parse(text));
		const project = record(toml.project ?? record(toml.tool).poetry);
		return { ...about(project), commands: Object.keys(record(project.scripts)), start: ["pip install -e ."] };
	},
	"go.mod"(text) {
		const [, name] = /^module\s+(\S+)/m.exec(text) ?? [];
		return name === undefined
			? undefined
			: { name, commands: [], start: ["go build ./...", "go test ./..."] };
	},
	Makefile(text) {
		const targets = [...text.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)/gm)].flatMap(([, target]) => target ?? []);
		return {
			commands: [...new Set(targets)].map((target) => `make ${target}`),
			start: targets.length > 0 ? ["make"] : [],
		};
	},
};

/** The lock file reveals the package manager of a project. */
function packageManager(files: readonly string[]): string {
	if (files.includes("bun.lock") || files.includes("bun.lockb")) return "bun";
	if (files.includes("pnpm-lock.yaml")) return "pnpm";
	return files.includes("yarn.lock") ? "yarn" : "npm";
}

function about({ name, description }: Record<string, unknown>): { name?: string; description?: string } {
	return {
		...(typeof name === "string" && name !== "" ? { name } : {}),
		...(typeof description === "string" && description !== "" ? { description } : {}),
	};
}

function record(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}
