/** Tau in a terminal with one extension that the test writes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { openTau, type OpenOptions, type OpenTau } from "../interactive/driver.ts";
import { launch } from "../support/launch.ts";

const tui = `import { CustomEditor, getSelectListTheme } from "@earendil-works/pi-coding-agent"; import { SelectList, Text, matchesKey } from "@earendil-works/pi-tui";`;

/** Tau with one extension whose factory has this body; ready when the footer names the model, or when `ready` shows. */
export async function withExtension(
	body: string,
	scenario: Scenario = { steps: [] },
	{ ready = "played-1", ...options }: ExtensionOptions = {},
): Promise<Opened> {
	const home = await launch(scenario);
	const file = join(home.home, "..", "mine.ts");
	writeFileSync(file, `${tui}\nexport default function (pi) {\n${body}\n}\n`);
	const tau = await openTau(scenario, { home, args: ["-e", file], ...options });
	await tau.until(ready);
	return {
		tau,
		async [Symbol.asyncDispose]() {
			await tau[Symbol.asyncDispose]();
			await home[Symbol.asyncDispose]();
		},
	};
}

interface ExtensionOptions extends Pick<OpenOptions, "settings" | "background"> {
	ready?: string | RegExp;
}

export interface Opened extends AsyncDisposable {
	tau: OpenTau;
}

/** An extension with one command, `/go`. */
export const go = (body: string): string =>
	`pi.registerCommand("go", { handler: async (args, ctx) => { ${body} } });`;

/** Types the command and sends it, without the menu in between. */
export function say(tau: OpenTau, text: string): void {
	tau.type(`${text} `);
	tau.press("enter");
}
