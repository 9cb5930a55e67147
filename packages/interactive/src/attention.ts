/** The title of the terminal, and the notification of a user who looks elsewhere when a long turn has ended. */
import { basename } from "node:path";

import { oneLine } from "@tau/utils";
import type { UserRequest } from "@tau/wire";
import type { Settings } from "@tau/config/settings";

import { limits } from "./limits.ts";
import type { AppTerminal } from "./screen.ts";

export type NotifyMethod = "auto" | "osc9" | "osc777" | "bell" | "off";

export interface AttentionSettings {
	method: NotifyMethod;
	afterMs: number;
}

export function attentionSettings(settings: Settings): AttentionSettings {
	return {
		method: settings.get("notify.method"),
		afterMs: settings.get("notify.afterSeconds") * 1000,
	};
}

export class Attention {
	readonly #terminal: AppTerminal;
	readonly #settings: () => AttentionSettings;
	readonly #now: () => number;
	#title = "";
	/** What the title was made of: the question comes with every delta. */
	#titleOf: readonly unknown[] = [];
	/** Replaces the directory in the title. */
	own: string | undefined;
	#startedAt: number | undefined;
	#lastKey = Number.NEGATIVE_INFINITY;

	constructor(terminal: AppTerminal, settings: () => AttentionSettings, now: () => number) {
		this.#terminal = terminal;
		this.#settings = settings;
		this.#now = now;
	}

	/** A key press shows that the user is present. */
	onKey(): void {
		this.#lastKey = this.#now();
	}

	begin(): void {
		this.#startedAt ??= this.#now();
		this.#terminal.setProgress(true);
	}

	/** Called at the end of a turn: a user who waited long without typing is probably elsewhere. */
	end(what: string): void {
		const started = this.#startedAt;
		this.#startedAt = undefined;
		this.#terminal.setProgress(false);
		if (started === undefined) return;
		const { method, afterMs } = this.#settings();
		const now = this.#now();
		if (method === "off" || now - started < afterMs || now - this.#lastKey < afterMs) return;
		this.#call(method, oneLine(what, limits.titleChars));
	}

	/** Every question calls the user, from whichever source: the model, an agent, the sandbox, an extension. */
	onRequest(request: UserRequest): void {
		if (request.kind !== "approval") return this.waits("A question waits for your answer.");
		const { call, agent } = request;
		const who = agent === undefined ? "" : ` (agent ${agent})`;
		this.waits(`${call.toolName}${who} needs your approval.`);
	}

	/** Something needs the user, who may be elsewhere. */
	waits(what: string): void {
		const { method, afterMs } = this.#settings();
		if (method === "off" || this.#now() - this.#lastKey < afterMs) return;
		this.#call(method, oneLine(what, limits.titleChars));
	}

	setTitle(cwd: string, name: string | undefined, isBusy: boolean): void {
		const parts = [cwd, name, isBusy, this.own];
		if (parts.every((part, at) => part === this.#titleOf[at])) return;
		this.#titleOf = parts;
		const directory = oneLine(name ?? basename(cwd), limits.titleChars);
		const title =
			this.own === undefined ? `${isBusy ? "● " : ""}τ ${directory}` : oneLine(this.own, limits.titleChars);
		if (title === this.#title) return;
		this.#title = title;
		this.#terminal.setTitle(title);
	}

	#call(method: NotifyMethod, what: string): void {
		if (method === "bell") this.#terminal.write("\x07");
		else if (method === "osc777")
			this.#terminal.write(`\x1b]777;notify;Tau;${what.replaceAll(";", ",")}\x07`);
		else if (method === "osc9") this.#terminal.write(`\x1b]9;Tau: ${what}\x07`);
		else this.#terminal.notify?.("Tau", what);
	}
}
