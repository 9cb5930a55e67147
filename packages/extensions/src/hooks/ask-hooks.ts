/** Runs the hooks of an event in parallel, each command once, and returns their combined answer. */
import { commandEnvironment, runProgram } from "@tau/sys";
import { cutUnits, log, oneLine, shortenHome, timer, type Env } from "@tau/utils";

import { readAnswer, together, type HookAnswer } from "./answer.ts";
import type { ClaudeCall } from "./claude-tools.ts";
import type { HookScripts } from "./hook-scripts.ts";
import type { Hook, HookEventName } from "./hook.ts";
import { limits } from "./limits.ts";
import { fits, fitsCondition } from "./matcher.ts";

export interface HookSurroundings {
	readonly hooks: readonly Hook[];
	readonly cwd: string;
	/** The root of the project. */
	readonly root: string;
	/** What the commands of a model are run with; the keys of providers are not in it. */
	readonly env: Env;
	readonly sessionId: string;
	/** The path of the session file; undefined if the session is not stored. */
	transcriptPath(): string | undefined;
	/** Decides about hooks that name scripts of the project. */
	readonly scripts?: Pick<HookScripts, "refusal"> | undefined;
	/** Aborted when the session ends. */
	readonly ended: AbortSignal;
	/** A shorter wait, for tests. */
	readonly slowMs?: number | undefined;
	/** Receives messages for the user: the text of a hook, or a problem with one. */
	onMessage(message: string): void;
}

/** An event as it is described to a hook. */
export interface HookMoment {
	event: HookEventName;
	/** The names that a matcher is held against; without any, the matcher does not count. */
	subjects?: readonly string[];
	/** The call that rules are held against. */
	call?: ClaudeCall;
	/** The fields that the event adds to those that every hook receives. */
	facts?: Readonly<Record<string, unknown>>;
	/** No hook may take longer. */
	limitMs?: number;
}

export class HookAsker {
	readonly #around: HookSurroundings;
	readonly #failures = new Map<Hook, number>();
	readonly #slow = new Set<Hook>();

	constructor(around: HookSurroundings) {
		this.#around = around;
	}

	has(event: HookEventName): boolean {
		return this.#around.hooks.some((hook) => hook.event === event);
	}

	/**
	 * Never rejects: a hook that cannot be run gives no answer, and the user is notified. The answers of asynchronous
	 * hooks are delivered by `later`.
	 */
	async ask(
		moment: HookMoment,
		signal: AbortSignal,
		later: (answer: HookAnswer) => void = () => {},
	): Promise<HookAnswer> {
		const meant = this.#meant(moment);
		for (const hook of meant.filter(({ isAsync }) => isAsync))
			void this.#run(hook, moment, this.#around.ended).then(later);
		const waited = meant.filter(({ isAsync }) => !isAsync);
		const either = AbortSignal.any([signal, this.#around.ended]);
		const all = together(await Promise.all(waited.map((hook) => this.#run(hook, moment, either))));
		if (all.message !== undefined) this.#around.onMessage(all.message);
		return all;
	}

	/** The same command in several files runs once. */
	#meant({ event, subjects, call }: HookMoment): Hook[] {
		const seen = new Set<string>();
		return this.#around.hooks.filter((hook) => {
			if (hook.event !== event) return false;
			if (subjects && !fits(hook.matcher, subjects)) return false;
			if (hook.condition !== undefined && call && !fitsCondition(hook.condition, call.names, call.texts))
				return false;
			const key = JSON.stringify([hook.command, hook.args, hook.projectDir, hook.env]);
			if (seen.has(key)) return false;
			seen.add(key);
			return true;
		});
	}

	async #run(hook: Hook, moment: HookMoment, signal: AbortSignal): Promise<HookAnswer> {
		const { cwd } = this.#around;
		const { args, command, timeoutMs } = hook;
		const [stdout, stderr] = [new BoundedOutput(), new BoundedOutput()];
		const refused = await this.#around.scripts?.refusal(hook, signal);
		if (refused !== undefined) return this.#skipped(hook, refused);
		using _slow = hook.isAsync
			? undefined
			: timer(this.#around.slowMs ?? limits.slowMs, () => this.#late(hook));
		try {
			const { stopped, exitCode } = await runProgram({
				command: args ? [command, ...args] : command,
				cwd,
				env: this.#environment(hook),
				input: `${JSON.stringify(this.#hookInput(moment))}\n`,
				timeoutMs: Math.min(timeoutMs, moment.limitMs ?? timeoutMs),
				signal,
				onOutput: (chunk) => stdout.push(chunk),
				onError: (chunk) => stderr.push(chunk),
			});
			// The user has cancelled everything, so the hook's answer is not needed.
			if (stopped === "abort") return {};
			if (stopped === "timeout") return this.#failed(hook, "it timed out");
			const answer = readAnswer(hook.event, { exitCode, stdout: stdout.text(), stderr: stderr.text() });
			return answer.failure === undefined ? answer : this.#failed(hook, answer.failure);
		} catch (error) {
			return this.#failed(hook, error instanceof Error ? error.message : String(error));
		}
	}

	#hookInput({ event, facts }: HookMoment): Record<string, unknown> {
		const { sessionId, cwd, transcriptPath } = this.#around;
		return {
			session_id: sessionId,
			transcript_path: transcriptPath() ?? "",
			cwd,
			permission_mode: "default",
			hook_event_name: event,
			...facts,
		};
	}

	#environment({ event, projectDir, env }: Hook): Record<string, string> {
		const { root, sessionId } = this.#around;
		const directory = projectDir ?? root;
		return {
			...commandEnvironment(this.#around.env),
			CLAUDE_PROJECT_DIR: directory,
			TAU_PROJECT_DIR: directory,
			TAU_SESSION_ID: sessionId,
			TAU_HOOK_EVENT: event,
			...env,
		};
	}

	/** A slow hook is reported once: a user who runs tests in a hook knows that they take time. */
	#late(hook: Hook): void {
		if (this.#slow.has(hook)) return;
		this.#slow.add(hook);
		const shown = oneLine(hook.command, limits.commandChars);
		this.#around.onMessage(`The ${hook.event} hook "${shown}" is still running. Esc stops it.`);
	}

	/** A call that a hook would have judged does not run: a command must not get rid of the hook by changing its script. */
	#skipped(hook: Hook, why: string): HookAnswer {
		const { failure } = this.#failed(hook, `it did not run, because ${why}`);
		if (hook.event !== "PreToolUse" || hook.isAsync) return failure === undefined ? {} : { failure };
		return {
			verdict: "deny",
			reason: `A PreToolUse hook judges this call, and it did not run, because ${why}. The user has to approve the script.`,
		};
	}

	/** The failures of a hook are reported a few times; the log has the rest. */
	#failed(hook: Hook, why: string): HookAnswer {
		const count = (this.#failures.get(hook) ?? 0) + 1;
		this.#failures.set(hook, count);
		const { event, command, origin } = hook;
		log.warn("a hook failed", { event, file: origin.path, reason: why });
		const shown = oneLine(command, limits.commandChars);
		const text = `The ${event} hook "${shown}" (${shortenHome(origin.path)}) failed: ${oneLine(why, limits.noticeChars)}`;
		if (count <= limits.reportedFailures) this.#around.onMessage(text);
		return { failure: why };
	}
}

/** As much of an output as is of use. */
class BoundedOutput {
	readonly #chunks: Buffer[] = [];
	#room: number = limits.outputBytes;

	push(chunk: Uint8Array): void {
		if (this.#room <= 0) return;
		this.#chunks.push(Buffer.from(chunk.subarray(0, this.#room)));
		this.#room -= chunk.length;
	}

	text(): string {
		return cutUnits(new TextDecoder().decode(Buffer.concat(this.#chunks)), limits.outputBytes);
	}
}
