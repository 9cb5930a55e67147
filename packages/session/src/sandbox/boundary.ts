/** What contains the commands of a session: a sandbox, a container around Tau, or nothing. */
import { containerKind, knownSupport, sandboxSupport, type SandboxSupport } from "@tau/machines/sandbox";
import { dirs } from "@tau/utils";
import type { Boundary } from "@tau/wire";

import { sandboxMode, type SessionSandboxOptions } from "./session-sandbox.ts";

export class CommandBoundary {
	readonly #options: Pick<SessionSandboxOptions, "env" | "settings">;
	#support: SandboxSupport | undefined;

	constructor(options: Pick<SessionSandboxOptions, "env" | "settings">) {
		this.#options = options;
	}

	/** Until a trial has shown otherwise, an installed sandbox is assumed to work. */
	current(): Boundary {
		const { env } = this.#options;
		const mode = sandboxMode(this.#options);
		if (mode === "required") return "sandbox";
		this.#support ??= mode === "off" ? undefined : knownSupport(env, dirs(env).cache);
		if (mode === "auto" && this.#support?.kind !== "none") return "sandbox";
		return containerKind(env) === undefined ? "none" : "container";
	}

	/** Landlock does not cover modes and times of files: there the rules decide what may run in plan mode. */
	holdsWrites(): boolean {
		const { env } = this.#options;
		if (sandboxMode(this.#options) === "off") return false;
		this.#support ??= knownSupport(env, dirs(env).cache);
		return this.#support?.kind.startsWith("bubblewrap") === true;
	}

	/** Resolves when `current` is certain. */
	async settle(): Promise<void> {
		const { env } = this.#options;
		if (this.#support === undefined && sandboxMode(this.#options) !== "off")
			this.#support = await sandboxSupport(env, dirs(env).cache);
	}
}
