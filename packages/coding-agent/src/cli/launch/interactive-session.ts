/** Makes the session of the interactive mode, once its prompt is on the screen, and runs it there. */
import { basename, dirname, join } from "node:path";
import { dirs, listen, plural, privateDirectory, timingMode, uuidv7 } from "@tau/utils";
import { openSession } from "@tau/extensions/assembly";
import { askTrust } from "@tau/extensions/trust";
import { SessionManager } from "@tau/log";
import { UserRequests } from "@tau/session/host";
import type { Settings } from "@tau/config/settings";
import { LocalClient } from "@tau/server/clients/local-client";
import { terminalName } from "@tau/server/clients/terminal-name";
import { isDemo } from "@tau/bundled";
import {
	entryRendererFor,
	InteractiveMode,
	type InteractiveParts,
	dialogsIn,
	type LocalParts,
	dialogKinds,
	RequestDialogs,
} from "@tau/interactive";
import type { ExtensionScreen } from "@tau/interactive/extensions/start";
import { type OverlayHost, TrustDialog, demoNotice, wizard, askProjectKey } from "@tau/interactive/first-run";
import type { Screen } from "@tau/interactive/screen";
import type { CollabStatus, CommandParts } from "@tau/session-commands";
import type { DoctorReport } from "@tau/session-commands/work";
import type { Args } from "../args.ts";
import { showInFooter } from "./footer-statuses.ts";
import { commandParts, findResources, fleetOf } from "./command-parts.ts";
import { lendToRoom } from "./lend-to-room.ts";
import { modelRequest } from "./model-request.ts";
import { yieldToInput } from "./yield-to-input.ts";
import { exitCodes } from "../exit-codes.ts";
import { limits } from "../limits.ts";
import { missingPackages } from "./missing-packages.ts";
import { readPrompts } from "../prompt.ts";
import { continueDetached, followDeparture } from "./departure.ts";
import type { OpenRequest } from "@tau/server/local/protocol";
import { Rooms } from "./rooms.ts";
import { servedSession, serveSession, surfacesOf } from "./serve-session.ts";
import { rememberSession } from "./terminal-session.ts";
import { packagedThemesOf, type RunThemes } from "./run-themes.ts";
import { loadEnvironment, openParts, type OpenedParts, toolEnvOf } from "./session-parts.ts";
import type { Interruption } from "../signals.ts";
import { chooseSession } from "@tau/interactive/selectors";
import type { ChooseSession } from "./stored-session.ts";
import type { AskKey } from "../project-env.ts";

export interface InteractiveStart {
	args: Args;
	settings: Settings;
	themes: RunThemes;
	screen: Screen;
	/** Disposed of when the screen is gone: an extension that never returns is then reported on standard error. */
	watched: Disposable;
	/** Problems that occurred before the UI could show them. */
	problems: string[];
	interruption: Interruption;
	/** Set where the daemon is to continue the session when this process has let go of it. */
	handOver?: OpenRequest;
	/** Set where the session is to continue in another directory, in this terminal. */
	moved?: OpenRequest;
}

export async function openInteractive(start: InteractiveStart): Promise<number> {
	const { args, settings, screen, problems, interruption } = start;
	const cwd = process.cwd();
	const outerEnv = { ...process.env };
	loadEnvironment();
	const prompts = await readPrompts(args, cwd, undefined);
	let notify = (message: string): void => void problems.push(message);
	const onNotice = (message: string): void => notify(message);
	await offerMissing(start, cwd, onNotice);
	const requests = new UserRequests();
	const answer: UserRequests["answer"] = (...given) => requests.answer(...given);
	using _trust = requests.connect(new TrustDialog(overlayOn(screen), answer));
	using dialogs = requests.connect(new RequestDialogs(dialogsIn(screen), answer));
	await using opened = await openParts({
		args,
		cwd,
		outerEnv,
		settings,
		staysOpen: true,
		requests,
		signal: interruption.signal,
		onNotice,
		askTrust: (paths) =>
			askTrust(requests, { cwd, agentDir: dirs().agent, paths, signal: interruption.signal, onNotice }),
		askKey: keyFrom(start, cwd, onNotice),
		chooseSession: sessionFrom(start, cwd),
	});
	dialogs[Symbol.dispose]();
	problems.push(...opened.choice.notices);
	await findTheme(start);
	await yieldToInput();
	const toolEnv = toolEnvOf(opened.parts);
	await using host = openSession(opened.parts);
	await yieldToInput();
	const detach = (directory?: string): void => departure.goOn(directory);
	await using rooms = new Rooms();
	const collab = () => rooms.open();
	const own = { host, env: toolEnv, onNotice, recording: opened.recording };
	const commands = commandParts({ ...own, args, parts: opened.parts, rooms });
	const { schedules } = commands;
	const local = localOf(start, opened, { ...own, detach, collab, schedules });
	using client = clientOf(local, opened, commands);
	await using mode = new InteractiveMode(screen, {
		client,
		local,
		join: lendToRoom,
		env: () => toolEnv().env,
		settings,
		agentDir: dirs().agent,
		draftsDir: join(privateDirectory(dirs().state), "drafts"),
		historyDir: join(dirs().data, "history"),
		notices: problems,
		loaded: loadedThings(start, opened),
		...drawnByExtensions(opened),
	});
	notify = (message) => mode.notify(message, "warning");
	using forExtensions = new DisposableStack();
	const surfaces = surfacesOf(host, opened.parts);
	const { parts } = opened;
	openRooms(rooms, servedSession({ host, parts, commands, surfaces }), { mode, settings });
	using served = serveSession({ host, parts, commands, surfaces, settings, end: () => mode.quit() });
	const departure = followDeparture(start, () => mode.quit());
	// A slow extension start does not block the user from typing.
	void giveScreen(opened, { screen, mode, surfaces }, forExtensions);
	using _greeting = greet(start, opened, mode, prompts.length > 0);
	const end = (): void => mode.quit(interruption.exitCode ?? 0);
	using _ = listen(interruption.signal, "abort", end);
	// The interruption may have come before the listener: during the project question, or while files were read.
	if (interruption.signal.aborted) end();
	if (timingMode() === "exit") mode.quit(exitCodes.answered);
	const code = await mode.run(prompts);
	if (departure.hasHungUp)
		return await continueDetached(start, { opened, host, requests, served, surfaces, client, rooms, mode });
	await departure.prepare(host, outerEnv);
	screen.finish(start.handOver || start.moved ? "" : resumeHint(host.log));
	rememberSession(cwd, host.log.getSessionFile());
	await leave(start, code);
	served.server?.close({ comesBack: start.handOver !== undefined });
	return code;
}

/** The notices that appear once the prompt takes keys, and what the footer shows until the end. */
function greet(
	start: InteractiveStart,
	opened: OpenedParts,
	mode: InteractiveMode,
	hasPrompt: boolean,
): Disposable {
	const { settings, interruption, screen } = start;
	if (settings.get("update.check") === "weekly") void lookForUpdate(interruption.signal, mode);
	const connected = isFallbackModel(start, opened) && connectFirst(mode, screen, hasPrompt);
	// An offer has keys of its own, and an open question takes them.
	void Promise.resolve(connected).then(() => offerUseful(start, opened, mode));
	return showInFooter({ settings, mode });
}

/** What a user has answered before costs a look into one file. */
async function offerUseful(
	{ settings, screen, interruption: { signal } }: InteractiveStart,
	{ parts: { mcp }, choice: { model } }: OpenedParts,
	mode: InteractiveMode,
): Promise<void> {
	const { offerOnce } = await import("./offers.ts");
	await offerOnce({
		screen,
		settings,
		cwd: mode.cwd,
		mcp,
		model,
		signal,
		notify: (text, level) => mode.notify(text, level),
	});
}

async function lookForUpdate(signal: AbortSignal, mode: InteractiveMode): Promise<void> {
	const { weeklyNotice } = await import("../commands/update/weekly.ts");
	const notice = await weeklyNotice(signal);
	if (notice !== undefined) mode.notify(notice, "info");
}

function openRooms(
	rooms: Rooms,
	session: Parameters<Rooms["serve"]>[0],
	{ mode, settings }: { mode: InteractiveMode; settings: Settings },
): void {
	rooms.serve(session);
	rooms.onChange = (status) => mode.status("collab", collabBadge(status));
	if (settings.get("collab.autoStart")) void rooms.start().then((said) => mode.notify(said, "info"));
}

/** That others read along is never out of sight. */
function collabBadge(status: CollabStatus | undefined): string | undefined {
	if (!status) return undefined;
	const { guests, trouble } = status;
	return `⇄ shared${trouble === "" ? "" : ", reconnecting"}: ${plural(guests.length, "guest")}`;
}

/** What extensions draw of the conversation. */
function drawnByExtensions(
	opened: OpenedParts,
): Pick<InteractiveParts, "findRenderer" | "findMessageRenderer" | "transforms"> {
	const { extensions } = opened.parts;
	return {
		findRenderer: (name) => extensions?.runner.toolRenderer(name),
		findMessageRenderer: (type) => messageRenderer(opened, type),
		transforms: {
			transform: () => extensions?.runner.markdownTransform,
			belowThinking: (...about) => extensions?.runner.thinkingRows(...about) ?? [],
		},
	};
}

/** What the screen uses of the session because it runs in this process. */
function localOf(
	start: InteractiveStart,
	opened: OpenedParts,
	own: Pick<LocalParts, "host" | "env" | "detach" | "collab" | "recording" | "schedules"> & {
		onNotice(message: string): void;
	},
): LocalParts {
	const { onNotice, ...made } = own;
	const { extensions, mcp, remote, registry, store } = opened.parts;
	return {
		...made,
		extensions,
		mcp: mcpOf(opened),
		mcpOffers: mcp,
		doctor: () => examine(start.args, made.host.log.getCwd(), onNotice),
		fleet: fleetOf(start.settings, () => made.host.log.getCwd()),
		machine: remote,
		registry,
		credentials: store,
		resources: foundResources(start, opened, onNotice),
	};
}

/** The screen is a client of the session like any other, in the same process. */
function clientOf(
	{ host, resources }: LocalParts,
	{ parts: { extensions, mcp } }: OpenedParts,
	commands: CommandParts,
): LocalClient {
	return new LocalClient({
		me: { id: uuidv7(), name: terminalName(), rights: "control", kinds: [...dialogKinds] },
		host,
		extensions,
		resources,
		mcp,
		commands,
	});
}

async function examine(args: Args, cwd: string, onNotice: (message: string) => void): Promise<DoctorReport> {
	const report = await import("../commands/doctor/report.ts");
	return report.examine(args, cwd, onNotice);
}

/** Servers are looked for at the first use. */
function mcpOf({ parts: { mcp, settings } }: OpenedParts): LocalParts["mcp"] {
	return mcp && settings.get("mcp.enabled") ? () => mcp.manager() : undefined;
}

/** How to come back; nothing for a session that is empty or not saved. */
function resumeHint(log: SessionManager): string {
	if (log.getSessionFile() === undefined || log.getLeafId() === null) return "";
	return `Resume with: tau --session ${log.getSessionId().slice(0, limits.shownIdChars)}`;
}

/** Restores the terminal first, then finishes cleanup. */
async function leave(start: InteractiveStart, code: number): Promise<void> {
	const { screen, watched, handOver, moved } = start;
	const { terminal } = screen;
	// The release of the key that ended it is still on its way.
	if (terminal.kittyProtocolActive) await terminal.drainInput(limits.drainMs, limits.drainIdleMs);
	screen[Symbol.dispose]();
	watched[Symbol.dispose]();
	// A child that cannot be ended must not hold the shell; a session that is handed over has to be let go of first.
	if (!handOver && !moved) setTimeout(() => process.exit(code), limits.leaveMs).unref();
}

async function giveScreen(
	{ parts: { extensions } }: OpenedParts,
	on: ExtensionScreen,
	owner: DisposableStack,
): Promise<void> {
	if (!extensions) return;
	// This runs only now because the prompt is on the screen and accepts keys.
	const { startExtensions } = await import("@tau/interactive/extensions/start");
	if (!owner.disposed) await startExtensions(extensions, on, owner);
}

/** An extension of the current session may draw its own messages. */
function messageRenderer(
	{ parts: { extensions } }: OpenedParts,
	type: string,
): ReturnType<InteractiveParts["findMessageRenderer"]> {
	const ofEntry = entryRendererFor(type, (name) => extensions?.runner.entryRenderer(name));
	return ofEntry ?? extensions?.runner.messageRenderer(type);
}

/** Found again at a reload; the sessions that are made from then on have them. */
function foundResources(
	{ args }: InteractiveStart,
	{ parts }: OpenedParts,
	onNotice: (message: string) => void,
): LocalParts["resources"] {
	return {
		get current() {
			return parts.resources;
		},
		find: () => findResources({ args, parts, onNotice }),
	};
}

/** Packages of this run may have provided it since the first frame. */
async function findTheme({ args, themes, screen: { theme }, problems }: InteractiveStart): Promise<void> {
	theme.packaged = await packagedThemesOf(args);
	if (theme.name === themes.name) return;
	const change = theme.set(themes.name);
	if (!change.ok && themes.isAsked) problems.push(change.message);
}

/** Instructions; with `--verbose` everything that has a name. */
function loadedThings({ args }: InteractiveStart, { parts }: OpenedParts): string[] {
	const files = (parts.prompt.contextFiles ?? []).map(({ path }) => basename(path));
	if (!args.flags.has("verbose")) return files;
	const { extensions, resources } = parts;
	const paths = extensions?.runner.extensions.map(({ path }) => path) ?? [];
	return [
		...files,
		...paths.map((path) => `extension ${extensionName(path)}`),
		...(resources?.skills ?? []).map(({ name }) => `skill ${name}`),
		...(resources?.templates ?? []).map(({ name }) => `/${name}`),
	];
}

/** Returns the usual name: that of the directory when the file is an index. */
function extensionName(path: string): string {
	const name = basename(path).replace(/\.[cm]?[jt]sx?$/, "");
	return name === "index" ? basename(dirname(path)) : name;
}

/** True when the demo is a fallback and was not chosen. */
function isFallbackModel({ args }: InteractiveStart, { choice }: OpenedParts): boolean {
	return isDemo(choice.model) && modelRequest(args).model === undefined;
}

/** A user who has started to type is not interrupted: the demo answers at once, and explains what it is. */
async function connectFirst(
	mode: InteractiveMode,
	{ early, editor }: Screen,
	hasPrompt: boolean,
): Promise<void> {
	if (hasPrompt || early.length > 0 || editor.getText() !== "") mode.notify(demoNotice, "warning");
	// No server answered a moment ago: that is why the demo is used.
	else await wizard(mode, []);
}

/** Before the session is made: which model answers may depend on the keys that there are. */
function keyFrom(
	{ screen, interruption: { signal } }: InteractiveStart,
	cwd: string,
	onNotice: (message: string) => void,
): AskKey {
	const host = overlayOn(screen);
	return (key) => askProjectKey(host, { ...key, cwd, agentDir: dirs().agent, signal, onNotice });
}

/** The same list as /resume; the run that ends meanwhile needs no session on disk. */
function sessionFrom({ screen, interruption: { signal } }: InteractiveStart, cwd: string): ChooseSession {
	return async (directory) => {
		const host = { theme: screen.theme, tui: screen.tui, showInEditor: screen.slot.show.bind(screen.slot) };
		const chosen = await chooseSession(host, { cwd, directory, signal });
		return chosen ?? (signal.aborted ? SessionManager.inMemory(cwd) : undefined);
	};
}

/** Offers missing packages early for the same reason: a package that the user installs now is part of the run. */
async function offerMissing(
	{ args, screen, interruption: { signal } }: InteractiveStart,
	cwd: string,
	onNotice: (message: string) => void,
): Promise<void> {
	const missing = missingPackages(args, cwd);
	if (missing.length === 0) return;
	const { offerPackages } = await import("./offer-packages.ts");
	await offerPackages(missing, { host: overlayOn(screen), cwd, signal, onNotice });
}

function overlayOn({ slot, editor, theme }: Screen): OverlayHost {
	return { showInEditor: slot.show.bind(slot), editor, theme };
}
