/**
 * Shows rooms with the real omp: its guest in a session of Tau, and Tau's guest in a session of omp, over our relay.
 * With `TAU_RECORD=<directory>`, the frames of omp are written there for the tests in `packages/wire/src/omp`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";
import { startRelay } from "@tau/relay";
import { OmpSealer } from "@tau/wire/omp";
import { readLink } from "@tau/wire/room";

import { openTau, type OpenTau } from "../../test/interactive/driver.ts";
import { guest, linkOn, share } from "../../test/rooms/room.ts";

export const ompPackage = { name: "@oh-my-pi/pi-coding-agent", version: "18.2.3" } as const;

/** Each line says what was seen; throws what was not. */
export async function showOmpRooms(directory: string): Promise<string[]> {
	const cli = join(directory, "dist/cli.js");
	return [await ompGuest(cli), await ompHost(cli)];
}

async function ompGuest(cli: string): Promise<string> {
	await using shared = await share({ steps: ["An answer of Tau.", "An answer to omp."] });
	const { host } = shared;
	host.type("hello from the host\r");
	await host.until("An answer of Tau.");
	host.type("/collab omp\r");
	await host.until("omp join");
	await using home = ompHome(undefined);
	await using omp = await openOmp(cli, home, ["join", linkOn(host, "omp")]);
	await omp.until("An answer of Tau.");
	omp.type("hello from omp\r");
	await omp.until("An answer to omp.");
	await host.until("An answer to omp.");
	return "an omp guest reads a session of Tau, prompts in it, and reads the answer";
}

async function ompHost(cli: string): Promise<string> {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	// omp asks for a title as well, at a time of its own, so that no step depends on the order.
	await using model = await playModel({
		steps: [
			{ when: { bodyContains: "tool_result" }, answer: "An answer to Tau.", times: "always" },
			{
				when: { bodyContains: "hello from Tau" },
				answer: {
					blocks: [
						{ thinking: "A command will tell.", chunks: 4 },
						{ text: "Let me look.", chunks: 4 },
						{ toolCall: { name: "bash", arguments: { command: "echo out of the tool" } } },
					],
					delayMs: 40,
				},
				times: "always",
			},
		],
		fallback: { answer: "An answer of omp." },
	});
	await using home = ompHome(model.anthropicUrl);
	await using host = await openOmp(cli, home, ["--model", "played/played-1"]);
	await host.until("Played");
	// omp takes no Enter before it has drawn what was typed.
	host.type("hello from the host");
	await host.until("hello from the host");
	host.type("\r");
	await host.until("An answer of omp.");
	host.type(`/collab ${relay.url.replace("http", "ws")}\r`);
	await host.until("omp join");
	const link = linkOn(host, "omp");
	await using _recorder = await Recorder.join(link);
	await using tau = await guest(`omp ${link}`, { name: "Ann" });
	await tau.until("An answer of omp.");
	tau.type("hello from Tau\r");
	await tau.until("An answer to Tau.");
	await host.until("An answer to Tau.");
	host.type("/collab stop\r");
	await tau.until("Collab session ended");
	return "a Tau guest reads a session of omp, prompts in it, reads the answer, and leaves with it";
}

interface Home extends AsyncDisposable {
	readonly path: string;
}

function ompHome(baseUrl: string | undefined): Home {
	const path = mkdtempSync(join(tmpdir(), "tau-omp-"));
	const models = [{ id: "played-1", name: "Played", contextWindow: 200_000, maxTokens: 16_384 }];
	const provider = {
		baseUrl: baseUrl ?? "http://127.0.0.1:1",
		api: "anthropic-messages",
		apiKey: "none",
		models,
	};
	mkdirSync(join(path, ".omp/agent"), { recursive: true });
	writeFileSync(join(path, ".omp/agent/config.yml"), "startup:\n  setupWizard: false\n");
	writeFileSync(join(path, ".omp/agent/models.yml"), JSON.stringify({ providers: { played: provider } }));
	return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }) };
}

async function openOmp(cli: string, { path }: Home, args: readonly string[]): Promise<OpenTau> {
	return await openTau(
		{ steps: [] },
		{
			anyModel: true,
			cols: 140,
			rows: 90,
			command: [process.execPath, cli],
			args,
			env: { HOME: path, PI_OFFLINE: "1" },
		},
	);
}

/** A guest that only keeps what omp's host sends. */
class Recorder implements AsyncDisposable {
	readonly #socket: WebSocket;
	readonly #frames: object[] = [];
	#reading: Promise<void> = Promise.resolve();

	private constructor(socket: WebSocket, sealer: OmpSealer) {
		this.#socket = socket;
		socket.binaryType = "arraybuffer";
		socket.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
			if (!(data instanceof ArrayBuffer)) return;
			this.#reading = this.#reading.then(async () => {
				const opened = await sealer.open(new Uint8Array(data));
				if (opened) this.#frames.push(opened.frame);
			});
		});
	}

	static async join(text: string): Promise<Recorder> {
		const link = readLink(text, undefined);
		const socket = new WebSocket(`${link.relay}/r/${link.room}?role=guest`);
		const sealer = await OmpSealer.of(link.secret);
		const recorder = new Recorder(socket, sealer);
		const opened = Promise.withResolvers<unknown>();
		socket.addEventListener("open", opened.resolve, { once: true });
		await opened.promise;
		socket.send(await sealer.seal(0, { t: "hello", proto: 3, name: "Recorder" }));
		return recorder;
	}

	#write(): void {
		const { TAU_RECORD: directory } = process.env;
		if (directory !== undefined)
			writeFileSync(
				join(directory, "host-frames.json"),
				`${JSON.stringify(this.#frames, undefined, "\t")}\n`,
			);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#reading;
		this.#socket.close();
		this.#write();
	}
}
