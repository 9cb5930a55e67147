/** Hands the model messages that no client sent, such as the end of a background job; starts a run where nothing runs. */
import type { AgentMessage } from "@tau/agent";
import type { Settings } from "@tau/config/settings";

import type { AgentSession } from "../run/agent-session.ts";
import { promptMessage, type Prompt } from "../run/prompt.ts";
import type { Phase } from "../run/run-phase.ts";
import { limits } from "./limits.ts";

export interface Delivery {
	text: string;
	/** What kind of message it is, for views and extensions. */
	customType: string;
	/** Whether it may start a run while nothing runs. */
	wakes: boolean;
	/** Aborted when the model has read of it otherwise: what still waits then is withdrawn. */
	known?: AbortSignal | undefined;
}

/** What it needs of the session. */
interface Host {
	readonly session: AgentSession;
	readonly settings: Settings;
	readonly phase: Phase;
	submit(prompt: Prompt, options: { as: "followUp" }): Promise<unknown>;
	record(message: AgentMessage): void;
	notice(message: string, level: "info"): Promise<void>;
}

export class Deliveries {
	readonly #host: Host;
	readonly #staysOpen: boolean;
	/** Runs in a row that no user asked for. */
	#wakeUps = 0;

	constructor(host: Host, staysOpen: boolean) {
		this.#host = host;
		this.#staysOpen = staysOpen;
	}

	/** A user or a program has submitted something. */
	userActed(): void {
		this.#wakeUps = 0;
	}

	async deliver({ text, customType, wakes, known }: Delivery): Promise<void> {
		const host = this.#host;
		const { session } = host;
		await session.settled();
		if (known?.aborted) return;
		// A session that is being left ends its jobs; what they report has no reader.
		if (host.phase === "closed" || host.phase === "moving" || host.session !== session) return;
		const isIdle = host.phase === "idle";
		if (!isIdle || (wakes && this.#mayWake())) {
			if (isIdle) this.#wakeUps++;
			await host.submit({ text, customType, admitted: true }, { as: "followUp" });
			const withdraw = (): void =>
				session.withdraw((message) => message.role === "custom" && message.content === text);
			if (known?.aborted) withdraw();
			else known?.addEventListener("abort", withdraw, { once: true });
			return;
		}
		host.record(promptMessage({ text, customType }));
		await host.notice(text.split("\n", 1)[0] ?? text, "info");
	}

	/** Each end of a job may start the next one: without a limit, an unattended session could run forever. */
	#mayWake(): boolean {
		return this.#staysOpen && this.#host.settings.get("async.wake") && this.#wakeUps < limits.wakeUps;
	}
}
