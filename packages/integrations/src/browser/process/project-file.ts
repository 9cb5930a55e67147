/** A file that keeps what the browser knows for a project, for the user alone: each project has its own. */
import { createHash } from "node:crypto";
import { join } from "node:path";

import { localMachine } from "@tau/sys";
import { dirs, privateDirectory } from "@tau/utils";

import { limits } from "../limits.ts";
import type { ToolEnv } from "@tau/tools/tool";

export class ProjectFile {
	readonly #env: Pick<ToolEnv, "env" | "cwd">;
	readonly #ending: string;
	readonly #maxBytes: number;

	constructor(env: Pick<ToolEnv, "env" | "cwd">, ending: string, maxBytes: number) {
		this.#env = env;
		this.#ending = ending;
		this.#maxBytes = maxBytes;
	}

	/** Undefined if there is none yet, or it cannot be used. */
	async read(): Promise<unknown> {
		try {
			const signal = AbortSignal.timeout(limits.closeMs);
			const bytes = await localMachine().files.read(this.#path, { signal, maxBytes: this.#maxBytes });
			return JSON.parse(new TextDecoder().decode(bytes));
		} catch {
			return undefined;
		}
	}

	async write(value: unknown): Promise<void> {
		const path = this.#path;
		privateDirectory(join(path, ".."));
		const { files } = localMachine();
		const before = await files.readText(path, path);
		if (!before.ok) throw new Error(before.reason);
		const after = { text: JSON.stringify(value), hasBom: false, mode: 0o600 };
		await files.commit([{ before, after }], { signal: AbortSignal.timeout(limits.closeMs) });
	}

	get #path(): string {
		const project = createHash("sha256").update(this.#env.cwd).digest("hex").slice(0, 16);
		return join(dirs(this.#env.env).state, "browser", `${project}${this.#ending}`);
	}
}
