/**
 * Hooks run outside of the sandbox. One that names a script of the project is asked about when the script has changed
 * since the session began, because a command may have written it; and in a project that is not trusted, before it runs.
 */
import type { UserRequests } from "@tau/session/host";

import { hookCode } from "../trust/project-code.ts";
import type { Hook } from "./hook.ts";

export interface HookScriptsParts {
	readonly hooks: readonly Hook[];
	readonly cwd: string;
	isTrusted(): boolean;
	readonly requests?: Pick<UserRequests, "ask"> | undefined;
}

export class HookScripts {
	readonly #parts: HookScriptsParts;
	/** By the command: the state of its scripts that may run. */
	readonly #allowed = new Map<string, string>();
	readonly #declined = new Map<string, string>();
	/** One question at a time: several hooks may run the same script. */
	#asking: Promise<unknown> = Promise.resolve();

	constructor(parts: HookScriptsParts) {
		this.#parts = parts;
		// What a trusted project has now was compared when it was opened.
		if (parts.isTrusted()) for (const hook of parts.hooks) this.#allowed.set(keyOf(hook), this.#codeOf(hook));
	}

	/** Why the hook must not run; undefined if it may. */
	async refusal(hook: Hook, signal: AbortSignal): Promise<string | undefined> {
		if (this.#isAllowed(hook)) return undefined;
		const asked = this.#asking.then(() => this.#ask(hook, signal));
		this.#asking = asked.catch(() => {});
		return await asked;
	}

	#isAllowed(hook: Hook): boolean {
		const code = this.#codeOf(hook);
		return code === none || this.#allowed.get(keyOf(hook)) === code;
	}

	async #ask(hook: Hook, signal: AbortSignal): Promise<string | undefined> {
		// The answer to a question about the same script may have come meanwhile.
		if (this.#isAllowed(hook)) return undefined;
		const [key, code] = [keyOf(hook), this.#codeOf(hook)];
		const isNew = !this.#allowed.has(key);
		const why = isNew
			? `it runs ${namesIn(code)} of a project that you do not trust`
			: `${namesIn(code)} has changed since the session began`;
		if (this.#declined.get(key) === code) return why;
		const { cwd, requests } = this.#parts;
		const runs = [
			{ path: hook.origin.path, kind: isNew ? "new" : "changed", commands: [hook.command] },
		] as const;
		const answer = await requests?.ask("trust", { project: cwd, runs: [...runs] }, { signal });
		// What was shown is what runs.
		if (answer?.trusted !== true || this.#codeOf(hook) !== code) {
			this.#declined.set(key, code);
			return why;
		}
		this.#allowed.set(key, code);
		return undefined;
	}

	/** The files of the project that the hook names, with what they import. */
	#codeOf({ command, args, env, projectDir }: Hook): string {
		return JSON.stringify(hookCode([command, args, env], this.#parts.cwd, projectDir));
	}
}

const none = "{}";

function keyOf({ command, args, env }: Hook): string {
	return JSON.stringify([command, args, env]);
}

function namesIn(code: string): string {
	const [first = "a script", ...others] = Object.keys(JSON.parse(code) as Record<string, string>);
	return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}
