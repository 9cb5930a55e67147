/** Runs the interactive mode on a session of another process: the same screen, and leaving it stops nothing. */
import { join } from "node:path";

import { ProcessTerminal } from "@tau/tui";
import { dirs, leaveScreenAlone, listen, privateDirectory, withoutSecrets } from "@tau/utils";
import type { ConnectionState, RemoteSession } from "@tau/wire/remote";

import { condensedLook } from "@tau/bundled";
import { InteractiveMode } from "@tau/interactive";
import { RemoteComponents } from "@tau/interactive/remote";
import type { AttachOptions, AttachWords } from "@tau/server/rooms/guest";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { limits } from "../limits.ts";
import type { Interruption } from "../signals.ts";
import { lendToRoom } from "./lend-to-room.ts";
import { loadSettings } from "./load-settings.ts";
import { guardTerminal, openScreen } from "./run-interactive.ts";

export async function attachInteractive(
	args: Args,
	client: RemoteSession,
	interruption: Interruption,
	{ words = localWords, guest, onScreen }: AttachOptions = {},
): Promise<number> {
	const { session } = client.view.facts;
	const settings = await loadSettings(args);
	using screen = await openScreen(args, settings, new ProcessTerminal(), session.cwd);
	leaveScreenAlone();
	screen.start();
	using _guard = guardTerminal(screen);
	using components = new RemoteComponents(screen, client);
	// Before the mode follows the session: what happens meanwhile is part of what it shows first.
	await components.start();
	const look = condensedLook(
		() => settings.get("transcript") !== "full",
		() => client.view.tail.entries,
	);
	await using mode = new InteractiveMode(screen, {
		client,
		...(guest ? { guest } : { join: lendToRoom }),
		env: () => withoutSecrets(process.env),
		settings,
		agentDir: dirs().agent,
		draftsDir: join(privateDirectory(dirs().state), "drafts"),
		historyDir: join(dirs().data, "history"),
		notices: [],
		loaded: [],
		// What extensions draw comes from where the session runs; what is built in looks as it does there.
		findRenderer: (name) => components.findRenderer(name) ?? look(name),
		findMessageRenderer: components.findMessageRenderer,
		transforms: { transform: () => undefined, belowThinking: () => [] },
	});
	const end = (): void => mode.quit(interruption.exitCode ?? exitCodes.answered);
	using _interrupt = listen(interruption.signal, "abort", end);
	if (interruption.signal.aborted) end();
	components.showOn(mode);
	onScreen?.((message) => mode.notify(message, "warning"));
	using _state = client.onState((state) => showState(mode, state, words));
	const code = await mode.run([]);
	screen.finish(words.last(client));
	if (screen.terminal.kittyProtocolActive)
		await screen.terminal.drainInput(limits.drainMs, limits.drainIdleMs);
	return client.state.kind === "ended" ? exitCodes.failed : code;
}

function showState(mode: InteractiveMode, state: ConnectionState, words: AttachWords): void {
	if (state.kind === "ended") return mode.quit(exitCodes.failed);
	mode.status("connection", state.kind === "connected" ? undefined : "reconnecting");
	if (state.kind === "connected") mode.notify(words.back, "info");
	else mode.notify(words.lost(state.reason), "warning");
}

const localWords: AttachWords = {
	lost: (reason) => `The connection to the session was lost, and is made again: ${reason}`,
	back: "The connection to the session is back.",
	last: lastWords,
};

/** What the user reads in the shell. */
function lastWords({ state, view }: RemoteSession): string {
	const { id, file } = view.facts.session;
	const shown = id.slice(0, limits.shownIdChars);
	if (state.kind !== "ended") return `Left the session, which continues. Come back: tau attach ${shown}`;
	return file === undefined ? state.reason : `${state.reason} Resume it: tau attach ${shown}`;
}
