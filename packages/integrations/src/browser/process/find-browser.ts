/** Finds a browser that speaks Chrome's protocol: the one that the user has named, or an installed one. */
import { delimiter, isAbsolute, join } from "node:path";

import { env as readEnv, expandHome } from "@tau/utils";

import type { ToolEnv } from "@tau/tools/tool";

/** In the order of preference. */
const names = [
	"google-chrome",
	"google-chrome-stable",
	"chromium",
	"chromium-browser",
	"microsoft-edge",
	"microsoft-edge-stable",
	"brave-browser",
	"chrome.exe",
	"msedge.exe",
];

const macApplications = [
	"Google Chrome.app/Contents/MacOS/Google Chrome",
	"Chromium.app/Contents/MacOS/Chromium",
	"Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	"Brave Browser.app/Contents/MacOS/Brave Browser",
];

const windowsPrograms = [
	"Google\\Chrome\\Application\\chrome.exe",
	"Microsoft\\Edge\\Application\\msedge.exe",
];

/** Rejects with a readable reason if there is none: Tau never downloads a browser. */
export async function findBrowser(from: Pick<ToolEnv, "env" | "machine" | "settings">): Promise<string> {
	const { env, machine, settings } = from;
	const chosen = settings.get("browser.path") || readEnv("TAU_BROWSER", env) || env.PUPPETEER_EXECUTABLE_PATH;
	const isFile = async (path: string): Promise<boolean> =>
		(await machine.files.stat(path).catch(() => undefined))?.kind === "file";
	const directories = (env.PATH ?? "").split(delimiter).filter((directory) => isAbsolute(directory));
	const onPath = (name: string): string[] => directories.map((directory) => join(directory, name));
	if (chosen) {
		const path = expandHome(chosen, env.HOME);
		for (const candidate of isAbsolute(path) ? [path] : onPath(path))
			if (await isFile(candidate)) return candidate;
		throw new Error(`There is no browser ${chosen} (setting browser.path, or TAU_BROWSER).`);
	}
	for (const candidate of [...names.flatMap(onPath), ...knownPlaces(env)])
		if (await isFile(candidate)) return candidate;
	throw new Error(
		"No browser is installed. Ask the user to install Chrome, Chromium or Edge, or to name one with the setting browser.path or the variable TAU_BROWSER.",
	);
}

function knownPlaces(env: ToolEnv["env"]): string[] {
	const homes = ["/Applications", ...(env.HOME ? [join(env.HOME, "Applications")] : [])];
	const windows = [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA].filter(
		(directory) => directory !== undefined,
	);
	return [
		...homes.flatMap((home) => macApplications.map((application) => join(home, application))),
		...windows.flatMap((directory) => windowsPrograms.map((program) => `${directory}\\${program}`)),
		"/opt/google/chrome/chrome",
		"/snap/bin/chromium",
	];
}
