/** Starts the browser, inside the sandbox where there is one, and connects to it. */
import { TemporaryDirectory } from "@tau/session/artifacts";
import { commandEnvironment, type MachineShell, type RunningProgram } from "@tau/sys";
import { abortable, isTimeout, oneLine, withTimeout, type Env } from "@tau/utils";
import type { Browser } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import { PipeTransport } from "./pipe-transport.ts";
import script from "./start-browser.sh" with { type: "text" };

export interface BrowserStart {
	readonly path: string;
	readonly cwd: string;
	readonly env: Env;
	readonly isVisible: boolean;
	/** Further arguments, from the settings. */
	readonly args: readonly string[];
	/** Of the proxy that every connection goes through outside the sandbox. */
	readonly proxyPort: number;
}

export interface StartedBrowser extends AsyncDisposable {
	readonly browser: Browser;
	readonly program: RunningProgram;
	/** Its directory, deleted when it ends. */
	readonly profile: string;
	/** What contains the pages: the browser's own sandbox, Tau's, or nothing. */
	readonly contained: "browser" | "tau" | "none";
}

/**
 * No traffic of its own (what no switch turns off goes to a name that never resolves, past the proxy, which would ask),
 * no questions, no way around the proxy for pages, and no slower in the background.
 */
const standard =
	`--remote-debugging-pipe --no-first-run --no-default-browser-check --disable-background-networking
--disable-background-timer-throttling --disable-backgrounding-occluded-windows --disable-renderer-backgrounding
--disable-breakpad --disable-crash-reporter --disable-component-update --disable-default-apps --disable-dev-shm-usage
--disable-extensions --disable-hang-monitor --disable-ipc-flooding-protection --disable-popup-blocking
--disable-prompt-on-repost --disable-search-engine-choice-screen --disable-sync --enable-automation
--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,NetworkTimeServiceQuerying,AcceptCHFrame,DialMediaRouteProvider
--force-color-profile=srgb --metrics-recording-only --no-pings --password-store=basic --use-mock-keychain
--force-webrtc-ip-handling-policy=disable_non_proxied_udp --disable-quic
--gaia-url=https://browser.invalid --component-updater=url-source=https://browser.invalid/ --window-size=1280,800`.split(
		/\s+/,
	);
const headless = ["--headless=new", "--hide-scrollbars", "--mute-audio", "--disable-gpu"];

/** Why the browser did not start, and whether it was to run in Tau's sandbox. */
export class BrowserStartError extends Error {
	readonly isInside: boolean;

	constructor(message: string, isInside: boolean, cause: unknown) {
		super(message, { cause });
		this.isInside = isInside;
	}
}

/** Rejects with a readable reason; nothing is left then. */
export async function startBrowser(
	shell: Pick<MachineShell, "start">,
	start: BrowserStart,
	signal: AbortSignal,
): Promise<StartedBrowser> {
	const { path, cwd, isVisible, args, proxyPort } = start;
	const temporary = new TemporaryDirectory();
	const { TAU_SANDBOXED: _, ...env } = commandEnvironment(start.env);
	const program = await shell.start({
		command: [
			"/bin/sh",
			"-c",
			script,
			"tau-browser",
			path,
			temporary.path,
			...standard,
			...(isVisible ? [] : headless),
			...args,
			"about:blank",
		],
		cwd,
		env: { ...env, TAU_BROWSER_PROXY: `${proxyPort}` },
		unixSockets: true,
	});
	const errors: string[] = [];
	try {
		using deadline = withTimeout(signal, limits.startMs, "the browser did not answer");
		const announced = announcement(program, errors);
		const [, contained = "", profile = ""] = await abortable(announced, deadline.signal);
		const { connect } = await import("puppeteer-core/internal/puppeteer-core-browser.js");
		const transport = new PipeTransport(program);
		const browser = await abortable(
			connect({ transport, defaultViewport: null, protocolTimeout: limits.answerMs * 4 }),
			deadline.signal,
		);
		return {
			browser,
			program,
			profile,
			contained: contained === "tau" || contained === "none" ? contained : "browser",
			async [Symbol.asyncDispose]() {
				transport.close();
				await program[Symbol.asyncDispose]();
				temporary[Symbol.dispose]();
			},
		};
	} catch (error) {
		await program[Symbol.asyncDispose]();
		temporary[Symbol.dispose]();
		signal.throwIfAborted();
		const reason = isTimeout(error) || !(error instanceof Error) ? "it did not answer" : error.message;
		const log = errors.filter((line) => !line.startsWith("tau-browser "));
		const isInside = errors.some((line) => line.startsWith("tau-browser tau "));
		throw new BrowserStartError(
			`${path} did not start: ${log.at(-1) ?? reason}${help(log)}`,
			isInside,
			error,
		);
	}
}

/** The first line of the script; everything else that is printed is kept for the message of a failure. */
async function announcement(program: RunningProgram, errors: string[]): Promise<string[]> {
	const found = Promise.withResolvers<string[]>();
	let rest = "";
	program.errors.on("data", (chunk: Buffer) => {
		const lines = (rest + chunk.toString("utf8")).split("\n");
		rest = (lines.pop() ?? "").slice(-limits.errorLineChars);
		for (const line of lines) {
			if (line.startsWith("tau-browser ")) found.resolve(line.split(" "));
			errors.push(oneLine(line, limits.errorLineChars));
			if (errors.length > limits.errorLines) errors.shift();
		}
	});
	program.errors.on("error", () => {});
	void program.exited.then(() => found.reject(new Error("it ended at once")));
	return await found.promise;
}

function help(log: readonly string[]): string {
	if (log.some((line) => line.includes("No usable sandbox")))
		return ". The system does not let the browser make its own sandbox; Tau's (docs: sandbox) is the better one, or set browser.args to [--no-sandbox]";
	if (log.some((line) => /Missing X server|cannot open display/i.test(line)))
		return ". There is no display: use the setting browser.visible: false";
	return "";
}
