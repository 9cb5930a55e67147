/** Runs the interactive mode: draws the prompt first, then loads everything else. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ProcessTerminal } from "@tau/tui";
import { isAttributed } from "@tau/extensions/support";
import { startupLines, type Settings } from "@tau/config/settings";
import {
	version,
	dirs,
	formatTimings,
	leaveScreenAlone,
	log,
	mark,
	span,
	timingMode,
	ownWrite,
	privateDirectory,
} from "@tau/utils";
import { Screen } from "@tau/interactive/screen";
import type { Args } from "../args.ts";
import type { InteractiveStart } from "./interactive-session.ts";
import { yieldToInput } from "./yield-to-input.ts";
import { printError } from "../print-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { loadSettings } from "./load-settings.ts";
import { isAtHand, packagedThemesOf, runThemes } from "./run-themes.ts";
import { onInterrupt } from "../signals.ts";
import { watchOnScreen } from "../watch/watch.ts";

export async function runInteractive(args: Args): Promise<number> {
	using interruption = onInterrupt();
	const terminal = new ProcessTerminal();
	// Whatever is typed from here on is in the editor once it is shown.
	terminal.capture();
	const problems: string[] = [];
	let screen: Screen | undefined;
	try {
		const settings = await loadSettings(args);
		const themes = runThemes(args, settings);
		if (args.flags.has("session") || args.flags.has("fork")) {
			const { rejectMissingSession } = await import("./stored-session.ts");
			const directory = args.flags.get("session-dir") ?? settings.get("sessionDir");
			await rejectMissingSession(args, process.cwd(), directory);
		}
		await rejectMissingFiles(args);
		problems.push(...startupLines(settings.problems));
		screen = await openScreen(args, settings, terminal, process.cwd());
		const opened = screen;
		screen.onLeave = () => leaveEarly(opened);
		leaveScreenAlone();
		screen.start();
		mark("first frame");
		using _ = guardTerminal(screen);
		using watched = watchOnScreen({ terminal, redraw: () => opened.tui.requestRender(true) });
		await span("load the session", loadInPieces);
		const { openInteractive } = await import("./interactive-session.ts");
		const start: InteractiveStart = { args, settings, themes, screen, watched, problems, interruption };
		const code = await openInteractive(start);
		if (start.moved) return (await import("./hand-over.ts")).startAgain(start.moved);
		if (!start.handOver) return code;
		const { handOver } = await import("./hand-over.ts");
		return await handOver(start.handOver);
	} finally {
		if (screen) screen[Symbol.dispose]();
		else terminal.stop();
		if (timingMode() !== "off") ownWrite(process.stderr)(formatTimings());
	}
}

/** A screen for a session that works in this directory; nothing is drawn yet. */
export async function openScreen(
	args: Args,
	settings: Settings,
	terminal: ProcessTerminal,
	cwd: string,
): Promise<Screen> {
	const themes = runThemes(args, settings);
	return new Screen({
		terminal,
		cwd,
		version,
		themes: themes.directory,
		namedThemes: themes.named,
		// Only a user who has selected such a theme waits for the search before the first frame.
		packagedThemes: isAtHand(themes) ? undefined : await packagedThemesOf(args),
		theme: themes.name,
		starts: countStart(dirs().state),
		isStill: settings.get("ui.motion") === "off" || process.env.TERM === "dumb",
		isLinear: args.flags.has("screen-reader") || settings.get("ui.screenReader"),
		isColorBlind: settings.get("ui.colorBlind"),
		vim: settings.get("editor.vim"),
		env: process.env,
	});
}

/** A mistyped name is an error of the command line, shown before any screen is drawn. */
async function rejectMissingFiles({ files }: Args): Promise<void> {
	if (files.length === 0) return;
	const { findAttachment } = await import("@tau/session-commands/shared/attachments");
	for (const file of files) await findAttachment(file, process.cwd());
}

/** How often Tau was started before, so that each start can show another tip; 0 where that is not known. */
function countStart(stateDir: string): number {
	const file = join(stateDir, "starts");
	const count = readCount(file);
	try {
		privateDirectory(stateDir);
		writeFileSync(file, String(count + 1));
	} catch (error) {
		// A tip is not worth a message to the user.
		log.debug("cannot count the start", { reason: String(error) });
	}
	return count;
}

function readCount(file: string): number {
	try {
		return Number.parseInt(readFileSync(file, "utf8"), 10) || 0;
	} catch {
		// This is the first start.
		return 0;
	}
}

/** No session exists yet; just exit. */
function leaveEarly(screen: Screen): void {
	screen[Symbol.dispose]();
	process.exit(exitCodes.answered);
}

/** Works in steps: a key that is pressed meanwhile waits for one step and not for all. */
async function loadInPieces(): Promise<void> {
	const pieces = [
		() => import("@tau/session"),
		() => import("@tau/integrations/builtin"),
		() => import("./session-parts.ts"),
		() => import("@tau/interactive"),
	];
	for (const load of pieces) {
		await yieldToInput();
		await load();
	}
	await yieldToInput();
}

/** An uncaught error must not leave an unusable terminal, and must print where to read more. */
export function guardTerminal(screen: Screen): Disposable {
	const fail = (error: unknown): void => {
		// The error is an extension's: its name was reported, and everything else continues.
		if (isAttributed(error)) return;
		const reason = error instanceof Error ? error.message : String(error);
		log.error("uncaught error", { reason, stack: error instanceof Error ? (error.stack ?? "") : "" });
		try {
			screen[Symbol.dispose]();
		} catch {
			// It may be the screen that failed; the terminal restores itself when the process ends.
		}
		printError(
			`Tau crashed: ${reason}. The session is saved; tau -c continues it. The log is in ${dirs().logs}.`,
		);
		process.exit(exitCodes.failed);
	};
	// A promise was not awaited: nothing that the user sees depends on it.
	const report = (error: unknown): void => {
		if (!isAttributed(error)) screen.trouble("A background task", error);
	};
	process.on("uncaughtException", fail);
	process.on("unhandledRejection", report);
	return {
		[Symbol.dispose]() {
			process.off("uncaughtException", fail);
			process.off("unhandledRejection", report);
		},
	};
}
