/** Caches the descriptions of programs until their files change, so that a start runs none of them. */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { log } from "@tau/utils";

import { readDescription, besideIt, described, type Described, type ToolDescription } from "./description.ts";
import { limits } from "./limits.ts";

/** The cached data of a file: a change of the file changes its time or its size. */
interface CachedDescription {
	mtimeMs: number;
	size: number;
	description: ToolDescription;
}

export class DescriptionCache {
	readonly #file: string;
	#known: Map<string, CachedDescription> | undefined;

	constructor(directory: string) {
		this.#file = join(directory, "tool-descriptions.json");
	}

	async describe(path: string, cwd: string): Promise<Described> {
		const beside = besideIt(path);
		if (beside) return beside;
		const { mtimeMs, size } = statSync(path);
		const cachedDescription = this.#all().get(path);
		if (cachedDescription?.mtimeMs === mtimeMs && cachedDescription.size === size)
			return { ok: true, description: cachedDescription.description };
		const answer = await readDescription(path, cwd);
		// Failures are not cached: the user may fix the program, or its interpreter may be available the next time.
		if (answer.ok) this.#keep(path, { mtimeMs, size, description: answer.description });
		return answer;
	}

	#all(): Map<string, CachedDescription> {
		this.#known ??= new Map(readKept(this.#file));
		return this.#known;
	}

	#keep(path: string, cachedDescription: CachedDescription): void {
		// Read again: another Tau may have written meanwhile.
		const all = new Map([...readKept(this.#file), ...this.#all()]);
		all.delete(path);
		all.set(path, cachedDescription);
		this.#known = new Map([...all].slice(-limits.cachedDescriptions));
		const draft = `${this.#file}.${process.pid}.tmp`;
		try {
			mkdirSync(dirname(this.#file), { recursive: true });
			writeFileSync(draft, JSON.stringify([...this.#known]), { mode: 0o600 });
			renameSync(draft, this.#file);
		} catch (error) {
			log.warn("cannot cache tool descriptions", { file: this.#file, reason: String(error) });
		}
	}
}

/** A file that cannot be read has nothing in it. */
function readKept(file: string): [string, CachedDescription][] {
	try {
		const lines: unknown = JSON.parse(readFileSync(file, "utf8"));
		return Array.isArray(lines) ? lines.flatMap(validLine) : [];
	} catch {
		// Not there yet, or torn: the programs are asked again.
		return [];
	}
}

function validLine(line: unknown): [string, CachedDescription][] {
	if (!Array.isArray(line)) return [];
	const [path, kept]: unknown[] = line;
	if (typeof path !== "string" || typeof kept !== "object" || kept === null) return [];
	if (!("mtimeMs" in kept) || !("size" in kept) || !("description" in kept)) return [];
	const { mtimeMs, size } = kept;
	if (typeof mtimeMs !== "number" || typeof size !== "number") return [];
	const valid = described(JSON.stringify(kept.description), path);
	return valid.ok ? [[path, { mtimeMs, size, description: valid.description }]] : [];
}
