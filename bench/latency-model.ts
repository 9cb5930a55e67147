/** The model of the latency bench, in a process of its own: writing an answer must not delay the keys that are typed. */
import { playModel, type Scenario } from "@tau/ai/testing";

import type { ModelServer } from "./home.ts";

/** `endedAt`: when its first request ended, on either side, in milliseconds since 1970. */
type Message = { server: ModelServer } | { endedAt: number };

const patienceMs = 120_000;

export class ModelProcess implements AsyncDisposable {
	readonly #child: Bun.Subprocess;
	readonly #server = Promise.withResolvers<ModelServer>();
	readonly #ended = Promise.withResolvers<number>();

	constructor(scenario: Scenario) {
		const ipc = (message: Message): void => {
			if ("server" in message) this.#server.resolve(message.server);
			else this.#ended.resolve(message.endedAt);
		};
		this.#child = Bun.spawn([process.execPath, import.meta.path], {
			ipc,
			stdio: ["ignore", "inherit", "inherit"],
		});
		this.#child.send(scenario);
	}

	get server(): Promise<ModelServer> {
		return this.#server.promise;
	}

	get endedAt(): Promise<number> {
		return this.#ended.promise;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.kill();
		await this.#child.exited;
	}
}

async function play(scenario: Scenario): Promise<void> {
	const send = (message: Message): void => void process.send?.(message);
	const played = await playModel(scenario);
	send({ server: { anthropicUrl: played.anthropicUrl, openaiUrl: played.openaiUrl } });
	const { closedAt } = await played.waitForEnd(1, { timeoutMs: patienceMs });
	send({ endedAt: closedAt ?? Number.NaN });
}

if (import.meta.main) process.once("message", (scenario: Scenario) => void play(scenario));
