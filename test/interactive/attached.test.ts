/** A screen that draws from frames shows what the screen of the session's own process shows, whenever it joins. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentTool } from "@tau/agent";
import { playModel, type Scenario } from "@tau/ai/testing";
import { InteractiveMode } from "@tau/interactive";
import { Screen } from "@tau/interactive/screen";
import { LocalClient } from "@tau/server/clients/local-client";
import { handle, handleRequest, isRequestCommand, SlashCommandRuns } from "@tau/server/rpc/serve";
import type { SessionHost } from "@tau/session/host";
import { onDispose } from "@tau/utils";
import {
	FrameReader,
	Replica,
	type ClientInfo,
	type Command,
	type CommandFields,
	type CommandName,
	type CommandResult,
	type EventFrame,
	type SessionClient,
	type SessionView,
} from "@tau/wire";

import { testHost } from "../support/host.ts";
import { testModel } from "../support/session.ts";
import { Emulator } from "../tui/emulator.ts";

const kinds = ["questions", "approval", "dialog"] as const;

/** What commands about names need; nothing else is there. */
function commandParts(host: SessionHost): ConstructorParameters<typeof SlashCommandRuns>[0] {
	return {
		host,
		env: () => expect.unreachable(),
		registry: undefined as never,
		credentials: undefined as never,
		resources: undefined,
		extensions: undefined,
		mcp: undefined,
		mcpPrompts: [],
		machine: undefined,
		doctor: undefined,
		collab: undefined,
		recording: undefined,
		schedules: undefined,
		agentDir: "/dev/null/tau",
		isTrusted: false,
		reload: async () => [],
	};
}

/** As a connection would do it: lines of frames come in, commands go out as JSON. */
class FarSession implements SessionClient {
	readonly #host: SessionHost;
	readonly #replica = new Replica();
	readonly #reader = new FrameReader();
	readonly #attached: ReturnType<SessionHost["attach"]>;

	constructor(host: SessionHost, name: string) {
		this.#host = host;
		this.#attached = host.attach({ name, kinds: [...kinds], onLines: (lines) => this.#take(lines) });
	}

	get me(): ClientInfo {
		return this.#attached.info;
	}

	get isReady(): boolean {
		return this.#replica.isReady;
	}

	get view(): SessionView {
		return this.#replica;
	}

	subscribe(listener: (event: EventFrame) => void): Disposable {
		return this.#replica.subscribe(listener);
	}

	onReset(listener: () => void): Disposable {
		return this.#replica.onReset(listener);
	}

	async request<T extends CommandName>(type: T, fields: CommandFields<T>): Promise<CommandResult<T>> {
		const command = JSON.parse(JSON.stringify({ ...(fields as object), type })) as Command;
		const [host, by] = [this.#host, this.me];
		const result = isRequestCommand(command)
			? handleRequest(command, host.requests, (id, answer) => host.answer(id, answer, by))
			: await handle(command, {
					host,
					by,
					slashCommands: new SlashCommandRuns(commandParts(host), { by: () => by, emit: () => {} }),
					responded: Promise.resolve(),
					release: () => {},
					ui: { setKinds: () => {} },
				});
		return (result === undefined ? undefined : JSON.parse(JSON.stringify(result))) as CommandResult<T>;
	}

	[Symbol.dispose](): void {
		this.#attached[Symbol.dispose]();
	}

	#take(lines: readonly string[]): void {
		for (const line of lines) {
			const frame = this.#reader.read(line);
			if (frame && !this.#replica.take(frame)) throw new Error(`Frame ${frame.seq} does not fit.`);
		}
	}
}

/** The interactive mode on an emulator. */
class Seat implements AsyncDisposable {
	readonly terminal: Emulator;
	readonly #owned = new AsyncDisposableStack();

	constructor(client: SessionClient, host: SessionHost, columns = 80) {
		this.terminal = new Emulator({ columns, rows: 40 });
		const home = mkdtempSync(join(tmpdir(), "tau-seat-"));
		this.#owned.defer(() => rmSync(home, { recursive: true, force: true }));
		const screen = this.#owned.use(
			new Screen({
				terminal: this.terminal,
				cwd: "/",
				version: "0",
				themes: undefined,
				theme: "dark",
				isStill: true,
				vim: false,
				env: { TERM: "xterm-256color" },
			}),
		);
		screen.start();
		this.#owned.use(client);
		const mode = this.#owned.use(
			new InteractiveMode(screen, {
				client,
				env: () => ({}),
				settings: host.settings,
				agentDir: home,
				draftsDir: home,
				historyDir: home,
				notices: [],
				loaded: [],
				findRenderer: () => undefined,
				findMessageRenderer: () => undefined,
				transforms: { transform: () => undefined, belowThinking: () => [] },
			}),
		);
		void mode.run([]);
	}

	/** Types a text and Enter. */
	send(text: string): void {
		this.terminal.type(text);
		this.terminal.type("\r");
	}

	/** The conversation from the first prompt on. */
	rows(): string[] {
		const rows = this.all();
		return rows.slice(
			Math.max(
				0,
				rows.findIndex((row) => row.includes("❯")),
			),
		);
	}

	/** Everything that was shown, without what depends on the clock. */
	all(): string[] {
		const { history, screen } = this.terminal.tape();
		const rows = [...history, ...screen].map((row) =>
			row.replaceAll(/\b\d+(?:\.\d+)?m?s\b/g, "0s").trimEnd(),
		);
		return rows.filter((row) => row !== "" && !/· \d\d:\d\d$/.test(row));
	}

	text(): string {
		return this.all().join("\n");
	}

	async until(holds: (text: string) => boolean, what: string): Promise<void> {
		const late = performance.now() + 60_000;
		while (!holds(this.text())) {
			if (performance.now() > late) throw new Error(`It never ${what}. The screen:\n${this.text()}`);
			await turn(5);
		}
	}

	async shows(text: string): Promise<void> {
		await this.until((shown) => shown.includes(text), `showed "${text}"`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#owned.disposeAsync();
	}
}

/** Frames are drawn at their own pace: both screens come to show the same. */
async function same(one: Seat, other: Seat): Promise<void> {
	const late = performance.now() + 60_000;
	while (!Bun.deepEquals(one.rows(), other.rows()) && performance.now() < late) await turn(5);
	expect(one.rows()).toEqual(other.rows());
}

function turn(ms: number): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	setTimeout(resolve, ms);
	return promise;
}

/** A tool that runs until the test lets it end. */
function heldTool() {
	const held = { free: Promise.withResolvers<void>(), show: (_: string): void => {} };
	const content = (text: string) => ({ content: [{ type: "text" as const, text }] });
	const tool: AgentTool = {
		name: "dig",
		label: "Dig",
		description: "",
		parameters: { type: "object", properties: { where: { type: "string" } } },
		concurrency: "shared",
		approval: "read",
		validate: (value) => ({ ok: true, value: { ...value } }),
		async execute(_id, _params, _signal, onUpdate) {
			held.show = (text) => onUpdate(content(text));
			held.show("first spadeful");
			await held.free.promise;
			return content("a chest");
		},
	};
	return { tool, held };
}

async function open(scenario: Scenario) {
	const played = await playModel(scenario);
	const { tool, held } = heldTool();
	const model = testModel({ baseUrl: played.anthropicUrl });
	const host = await testHost(model, { session: { tools: [tool] } });
	const owned = new AsyncDisposableStack();
	owned.use(played);
	owned.use(host);
	const me = { id: "here", name: "terminal", rights: "control", kinds: [...kinds] } as const;
	const here = owned.use(new Seat(new LocalClient({ me: { ...me, kinds: [...kinds] }, host }), host));
	return {
		host,
		held,
		here,
		async joined(name: string, columns?: number): Promise<Seat> {
			const client = new FarSession(host, name);
			const late = performance.now() + 60_000;
			while (!client.isReady && performance.now() < late) await turn(1);
			return owned.use(new Seat(client, host, columns));
		},
		[Symbol.asyncDispose]: () => owned.disposeAsync(),
	};
}

const long = "one two three four five six seven eight";

test("a screen that joins in the middle of an answer shows what there is, and may stop it", async () => {
	await using session = await open({
		steps: [
			{
				answer: { blocks: [{ text: long, chunks: 8 }] },
				fault: { pauseMs: 600_000, afterChunks: 6 },
			},
		],
	});
	const { here } = session;
	const early = await session.joined("early");
	here.send("count");
	await Promise.all([here.shows("one two three"), early.shows("one two three")]);
	const late = await session.joined("late");
	await late.shows("one two three");
	await same(early, here);
	await same(late, here);
	late.terminal.type("\x1b");
	await Promise.all([here, early, late].map((seat) => seat.shows("Interrupted.")));
	// The owner reads who it was.
	await here.shows("late interrupted the run.");
});

test("a screen that joins in the middle of a tool call shows its output so far and its end", async () => {
	await using session = await open({
		steps: [
			{
				answer: {
					blocks: [{ text: "Digging." }, { toolCall: { name: "dig", arguments: { where: "here" } } }],
				},
			},
			"Found it.",
		],
	});
	const { here, held } = session;
	here.send("dig");
	await here.shows("first spadeful");
	const late = await session.joined("late");
	await late.shows("first spadeful");
	await same(late, here);
	held.show("second spadeful");
	await Promise.all([here.shows("second spadeful"), late.shows("second spadeful")]);
	await same(late, here);
	held.free.resolve();
	await Promise.all([here.shows("Found it."), late.shows("Found it.")]);
	await same(late, here);
	expect(late.text()).toContain("a chest");
});

test("commands of the user, with who runs them, are on every screen, also on one that comes later", async () => {
	await using session = await open({ steps: ["Hello."] });
	const { here } = session;
	const far = await session.joined("kitchen");
	here.send("hi");
	await Promise.all([here.shows("Hello."), far.shows("Hello.")]);
	const project = mkdtempSync(join(tmpdir(), "tau-attached-"));
	using _ = onDispose(() => rmSync(project, { recursive: true, force: true }));
	const gate = join(project, "gate");
	far.send(`!mkfifo ${gate}; cat ${gate}`);
	await here.shows("! mkfifo");
	// Only others read who it was.
	expect(here.text()).toContain("(kitchen)");
	expect(far.text()).not.toContain("(kitchen)");
	const late = await session.joined("late");
	await late.shows("! mkfifo");
	await Bun.spawn(["bash", "-c", `until [ -p ${gate} ]; do sleep 0.01; done; echo opened > ${gate}`]).exited;
	await Promise.all([here, far, late].map((seat) => seat.shows("opened")));
});

test("a prompt of another screen is signed, and the model that answers is the same for all", async () => {
	await using session = await open({ steps: ["One.", "Two."] });
	const { here } = session;
	const far = await session.joined("kitchen", 50);
	far.send("from afar");
	await Promise.all([here.shows("One."), far.shows("One.")]);
	expect(here.text()).toContain("kitchen");
	expect(far.text()).not.toContain("kitchen");
	here.send("from here");
	await Promise.all([here.shows("Two."), far.shows("Two.")]);
});

test("a question is on every screen, calls every user, and is answered in any of them", async () => {
	await using session = await open({ steps: [] });
	const { here, host } = session;
	for (const [path, value] of [
		["notify.method", "bell"],
		["notify.afterSeconds", 0],
	] as const)
		await host.settings.setUnchecked(path, value, "session");
	const far = await session.joined("kitchen");
	const bells = (seat: Seat): number => seat.terminal.written.filter((bytes) => bytes === "\x07").length;
	const dialog = { method: "confirm", title: "Really?", message: "It is late." } as const;
	const answer = host.requests.ask("dialog", { dialog });
	await Promise.all([here.shows("Really?"), far.shows("Really?")]);
	expect([bells(here), bells(far)]).toEqual([1, 1]);
	far.terminal.type("\r");
	expect(await answer).toEqual({ confirmed: true });
	await here.shows("Answered by kitchen.");
	await here.until((text) => !text.includes("Really?"), "closed the question");
	expect(far.text()).not.toContain("Answered by");
});

test("slash commands of the session run where it runs, and say so where they cannot", async () => {
	await using session = await open({ steps: [] });
	const { here, host } = session;
	const far = await session.joined("kitchen");
	far.send("/name From afar");
	await here.shows("From afar");
	expect(host.log.getSessionName()).toBe("From afar");
	far.send("/login");
	await far.shows("This is not available in an attached session yet.");
});
