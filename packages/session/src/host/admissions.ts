/** Takes every prompt of a session, and decides how it is handled: a command, the start of a run, a queued message, or a rejection. */
import type { ClientInfo } from "@tau/wire";

import { assertRight } from "./clients/clients.ts";
import { signedPrompt } from "./guests.ts";
import { limits } from "./limits.ts";
import type { AgentSession } from "../run/agent-session.ts";
import type { Prompt } from "../run/prompt.ts";
import { PromptDenied, UserError } from "../run/user-error.ts";

/** How a run of a prompt ended; what became of the answer is in the events. */
export interface RunEnd {
	/** Why no model was asked. */
	refused?: string;
	/** Why a hook denied the prompt; a notice with the reason was emitted. */
	denied?: string;
}

export type Admission =
	/** `done` resolves when the run is over, with all that behaviors and extensions added to it. */
	| { kind: "begun"; done: Promise<RunEnd> }
	| { kind: "queued" }
	/** A command or an extension dealt with it. */
	| { kind: "handled"; done: Promise<RunEnd> }
	| { kind: "refused"; reason: string };

export interface SubmitOptions {
	/** Who sends it; absent for the program that owns the session. */
	by?: ClientInfo | undefined;
	/**
	 * How the prompt is queued during a run. A plain `prompt` is rejected then, unless clients have already seen an end of
	 * the run: then it waits like a follow-up.
	 */
	as?: "prompt" | "steer" | "followUp";
	/** What becomes of a steering message or a follow-up where no run is active. */
	whenIdle?: "begin" | "queue";
	/** Called once the decision is made, before a run starts. */
	onAdmitted?(admission: Admission): void | Promise<void>;
	/** The decision waits for the input handlers of extensions, which may handle the prompt. */
	afterInput?: boolean;
	/** A rejection inside the run is returned in `done` and not emitted as a notice. */
	isQuiet?: boolean;
}

/** What it needs of the host. */
interface AdmissionParts {
	session(): AgentSession;
	/** The name that what a client elsewhere does is signed with. */
	signature(by: ClientInfo | undefined): string | undefined;
	/** A user or a program has submitted something. */
	userActed(): void;
	onEnd(): void;
	notify(message: string): void;
}

export class Admissions {
	readonly #parts: AdmissionParts;
	/** Prompts are admitted one after the other: handlers of extensions may take their time over the first. */
	#admitting: Promise<void> = Promise.resolve();
	#waiting = 0;
	readonly #runs = new Set<Promise<RunEnd>>();
	/** Prompts that wait for the session in which they are to be answered; undefined if nothing is held back. */
	#held: (() => Promise<unknown>)[] | undefined;

	constructor(parts: AdmissionParts) {
		this.#parts = parts;
	}

	/** The only entry for prompts: rights, commands, input handlers, expansion and queueing are decided from here on. */
	readonly submit = async (prompt: Prompt, options: SubmitOptions = {}): Promise<Admission> => {
		const { by } = options;
		if (by) assertRight(by, "prompt", "Sending a prompt");
		// It may do anything.
		if (by && this.#session().isCommand(prompt)) assertRight(by, "control", "A command of an extension");
		if (!prompt.customType && prompt.source !== "extension") this.#parts.userActed();
		return this.#take(signedPrompt(prompt, by, this.#parts.signature(by)), options);
	};

	#session(): AgentSession {
		return this.#parts.session();
	}

	#take(prompt: Prompt, options: SubmitOptions): Promise<Admission> {
		// A command may start its own runs, wait for the user, or move the session: it is never queued.
		if (this.#session().isCommand(prompt)) return this.#command(prompt, options);
		if (this.#held) return this.#hold(prompt, options);
		const session = this.#session();
		const isFree = this.#waiting === 0 && this.#runs.size === 0 && !session.isAnswering;
		// Without a wait: a caller that does not await the admission finds the session running.
		const admission =
			isFree && options.whenIdle !== "queue"
				? this.#start(prompt, options)
				: this.#admitting.then(() => this.#admit(prompt, options));
		this.#waiting++;
		this.#admitting = admission.then(
			() => void this.#waiting--,
			() => void this.#waiting--,
		);
		return admission;
	}

	/** Prompts are queued until it is disposed of, and then sent to what is the session by then. */
	hold(): Disposable & { readonly count: number } {
		const isOuter = this.#held === undefined;
		const held = (this.#held ??= []);
		return {
			get count() {
				return held.length;
			},
			[Symbol.dispose]: () => {
				if (!isOuter) return;
				if (this.#held === held) this.#held = undefined;
				for (const submit of held.splice(0)) void submit();
			},
		};
	}

	#hold(prompt: Prompt, options: SubmitOptions): Promise<Admission> {
		if ((this.#held?.length ?? 0) >= limits.heldPrompts)
			return this.#decided(
				{ kind: "refused", reason: "Too many prompts wait for the new session." },
				options,
			);
		const { onAdmitted: _, ...later } = options;
		this.#held?.push(() => this.#take(prompt, { ...later, as: "followUp", whenIdle: "begin" }));
		return this.#decided({ kind: "queued" }, options);
	}

	/** Resolves when every prompt was admitted and every run has ended. */
	async idle(): Promise<void> {
		while (this.#waiting > 0 || this.#runs.size > 0) await Promise.all([this.#admitting, ...this.#runs]);
	}

	/** A client reads of the end of a run, and may retry, before the run is put away. */
	async retry(): Promise<void> {
		const session = this.#session();
		await session.settled();
		if (!session.isBusy) await session.waitForIdle();
		await session.retry();
	}

	async #command(prompt: Prompt, options: SubmitOptions): Promise<Admission> {
		const started = Promise.withResolvers<void>();
		const done = started.promise.then(() => this.#end(this.#session().prompt(prompt), options));
		const admission: Admission = { kind: "handled", done };
		await options.onAdmitted?.(admission);
		started.resolve();
		return admission;
	}

	async #admit(prompt: Prompt, options: SubmitOptions): Promise<Admission> {
		const { whenIdle = "begin" } = options;
		const session = this.#session();
		const isContinued = await session.settled();
		// A client that has read of the end of the run cannot know that it went on, after a retry or a compaction.
		const { as: wanted = "prompt" } = options;
		const as = wanted === "prompt" && session.isBusy && isContinued ? "followUp" : wanted;
		if (session.isBusy && as === "prompt") return this.#decided({ kind: "refused", reason: busy }, options);
		if (as !== "prompt" && (session.isBusy || whenIdle === "queue")) {
			const queued = await this.#queue(prompt, as, options);
			if (queued) return this.#decided(queued, options);
		}
		return this.#begin(prompt, options);
	}

	/** Undefined if the run ended while input handlers ran: then the prompt starts one. */
	async #queue(
		prompt: Prompt,
		as: "steer" | "followUp",
		{ whenIdle = "begin" }: SubmitOptions,
	): Promise<Admission | undefined> {
		const session = this.#session();
		let admitted: Prompt | undefined;
		try {
			admitted = await session.input({ ...prompt, streamingBehavior: as });
		} catch (error) {
			if (error instanceof PromptDenied)
				return { kind: "handled", done: Promise.resolve({ denied: error.message }) };
			if (error instanceof UserError) return { kind: "refused", reason: error.message };
			throw error;
		}
		if (!admitted) return { kind: "handled", done: Promise.resolve({}) };
		await session.settled();
		if (!session.isBusy && whenIdle === "begin") {
			Object.assign(prompt, admitted);
			return undefined;
		}
		if (as === "steer") session.steer(admitted);
		else session.followUp(admitted);
		return { kind: "queued" };
	}

	async #begin(prompt: Prompt, options: SubmitOptions): Promise<Admission> {
		// The last run may still be putting itself away.
		while (this.#runs.size > 0) await Promise.all(this.#runs);
		await this.#session().waitForIdle();
		return this.#start(prompt, options);
	}

	async #start(prompt: Prompt, options: SubmitOptions): Promise<Admission> {
		if (options.afterInput) return this.#startAfterInput(prompt, options);
		const begin = (): Promise<RunEnd> => this.#end(this.#session().prompt(prompt), options);
		const announced = Promise.withResolvers<void>();
		const run = options.onAdmitted ? announced.promise.then(begin) : begin();
		this.#runs.add(run);
		void run.finally(() => this.#runs.delete(run));
		const admission: Admission = { kind: "begun", done: run };
		await options.onAdmitted?.(admission);
		announced.resolve();
		// The run is active when the caller continues: the next prompt is queued and does not start one.
		await Promise.resolve();
		return admission;
	}

	async #startAfterInput(prompt: Prompt, options: SubmitOptions): Promise<Admission> {
		const decided = Promise.withResolvers<Admission>();
		let isDecided = false;
		const decide = (admission: Admission): Promise<Admission> => {
			isDecided = true;
			return this.#decided(admission, options);
		};
		const onInput = async (isHandled: boolean): Promise<void> =>
			decided.resolve(await decide({ kind: isHandled ? "handled" : "begun", done: run }));
		// A refusal before the decision is the decision.
		const run = this.#end(this.#session().prompt(prompt, onInput), options, () => isDecided);
		this.#runs.add(run);
		void run.then(async ({ refused }) => {
			this.#runs.delete(run);
			if (isDecided) return;
			const end: Admission =
				refused === undefined ? { kind: "handled", done: run } : { kind: "refused", reason: refused };
			decided.resolve(await decide(end));
		});
		return decided.promise;
	}

	async #decided(admission: Admission, options: SubmitOptions): Promise<Admission> {
		await options.onAdmitted?.(admission);
		return admission;
	}

	/** `prompt` rejects only with a `UserError`; anything else is a defect and must not drop a client. */
	async #end(
		work: Promise<void>,
		{ isQuiet }: SubmitOptions,
		isDecided: () => boolean = () => true,
	): Promise<RunEnd> {
		try {
			await work;
			return {};
		} catch (error) {
			if (error instanceof PromptDenied) return { denied: error.message };
			const reason = error instanceof Error ? error.message : String(error);
			const refused = error instanceof UserError ? reason : `The prompt failed: ${reason}`;
			if (!isQuiet && isDecided()) this.#parts.notify(refused);
			return { refused };
		} finally {
			this.#parts.onEnd();
		}
	}
}

const busy =
	'The agent is already processing a prompt. Set streamingBehavior to "steer" or "followUp" to queue the message, or abort first.';
