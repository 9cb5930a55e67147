/** A client of the socket of a session, as another program would write it. */
import { readFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";

import type { Launched } from "../support/launch.ts";
import { runtimeFiles } from "./local.ts";

export interface Line extends Record<string, unknown> {
	kind?: string;
	seq?: number;
	epoch?: string;
	body?: { id?: string; ok?: boolean; error?: string; data?: unknown; of?: string };
}

export class RawClient implements Disposable {
	readonly lines: Line[] = [];
	readonly #socket: Socket;
	#changed = Promise.withResolvers<void>();
	#rest = "";

	constructor(tau: Launched, hello: object) {
		const name = runtimeFiles(tau).find((each) => /^\d.*\.json$/.test(each)) ?? "";
		const { socket, token } = JSON.parse(readFileSync(join(tau.home, ".tau/state/run", name), "utf8"));
		this.#socket = createConnection(socket);
		this.#socket.on("data", (chunk) => this.#take(chunk.toString()));
		this.send({ type: "hello", version: 1, token, purpose: "join", ...hello });
	}

	send(line: object): void {
		this.#socket.write(`${JSON.stringify(line)}\n`);
	}

	async until(holds: (line: Line) => boolean): Promise<Line> {
		for (;;) {
			const line = this.lines.find(holds);
			if (line) return line;
			await this.#changed.promise;
		}
	}

	/** The response to a command. */
	async answer(id: string): Promise<Line["body"]> {
		return (await this.until(({ kind, body }) => kind === "response" && body?.id === id)).body;
	}

	[Symbol.dispose](): void {
		this.#socket.destroy();
	}

	#take(text: string): void {
		const lines = (this.#rest + text).split("\n");
		this.#rest = lines.pop() ?? "";
		this.lines.push(...lines.map((line): Line => JSON.parse(line)));
		this.#changed.resolve();
		this.#changed = Promise.withResolvers();
	}
}
