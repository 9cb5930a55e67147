/** The hooks of a run, from its first session to its last: knows which session follows on which. */
import type { ToolEnv } from "@tau/tools/tool";

import { hookScriptPaths } from "../trust/project-code.ts";
import { HookScripts, type HookScriptsParts } from "./hook-scripts.ts";
import type { Hook } from "./hook.ts";
import { SessionHooks, type SessionHooksParts } from "./session-hooks.ts";

/** The session that hooks are tied to. */
export interface HookedSession {
	readonly env: ToolEnv;
	readonly sessionId: string;
	transcriptPath(): string | undefined;
	/** Asks the user about scripts of the project that hooks run. */
	readonly requests?: HookScriptsParts["requests"];
	/** True if the session already has messages. */
	readonly isResumed: boolean;
}

/** Shorter waits, for tests. */
type HookDeadlines = Pick<SessionHooksParts, "idleMs" | "slowMs">;

export class HookSource {
	readonly #hooks: readonly Hook[];
	/** The root of the project. */
	readonly #root: string;
	readonly #deadlines: HookDeadlines;
	/** How each session started; the last one is the current session. */
	#sessions: { isResumed: boolean }[] = [];

	constructor(hooks: readonly Hook[], root: string, deadlines: HookDeadlines = {}) {
		this.#hooks = hooks;
		this.#root = root;
		this.#deadlines = deadlines;
	}

	/** Files of the project that hooks run, outside of the sandbox: commands must not change them while they are started. */
	scripts(cwd: string): string[] {
		const named = this.#hooks.flatMap(({ command, args, env, projectDir }) =>
			hookScriptPaths([command, args, env], cwd, projectDir),
		);
		return [...new Set(named)];
	}

	/** To be attached to the session; its end comes with that of the tools' shelf. */
	behavior({ env: toolEnv, sessionId, transcriptPath, requests, isResumed }: HookedSession): SessionHooks {
		const own = { isResumed };
		const isFirst = this.#sessions.length === 0;
		this.#sessions = [...this.#sessions.slice(-1), own];
		const { cwd, env } = toolEnv;
		const behavior = new SessionHooks({
			hooks: this.#hooks,
			cwd,
			root: this.#root,
			env,
			sessionId,
			transcriptPath,
			scripts: new HookScripts({
				hooks: this.#hooks,
				cwd,
				requests,
				isTrusted: toolEnv.isTrusted,
			}),
			resolve: (path) => toolEnv.resolve(path),
			source: isResumed ? "resume" : isFirst ? undefined : "clear",
			endReason: () => this.#endReason(own),
			agents: toolEnv.sessions,
			...this.#deadlines,
		});
		toolEnv.services.get({ name: "hooks", create: () => behavior }, toolEnv);
		return behavior;
	}

	/** Another session has replaced it, or the program ends. */
	#endReason(own: { isResumed: boolean }): string {
		const now = this.#sessions.at(-1);
		if (!now || now === own) return "other";
		return now.isResumed ? "resume" : "clear";
	}
}
