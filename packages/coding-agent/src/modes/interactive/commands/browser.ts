/** `/browser`: the browser that the model uses and its tabs; `/browser visible` shows its window, `/browser close` ends it. */
import { report } from "../selectors/kit/report.ts";
import { valueItems } from "../../../session-commands/command.ts";
import type { SlashCommand } from "./command.ts";

const verbs = [
	{ value: "visible", description: "Show its window" },
	{ value: "headless", description: "Use no window" },
	{ value: "close", description: "End it" },
];

export const browser: SlashCommand = {
	name: "browser",
	group: "Tools",
	argumentHint: "[visible|headless|close]",
	description: "Show the browser and its tabs, show or hide its window, or close it",
	complete: (prefix) => valueItems(verbs, prefix, undefined),
	async run(args, host) {
		const { browserService, describeBrowser } = await import("@tau/tools/browser");
		// Nothing is made for the sake of looking.
		const session = host.env.services.peek(browserService);
		const verb = args.trim();
		if (verb === "close") {
			if (!session?.running) return host.notify("The browser is not running.");
			await session.close();
			return host.notify("Closed the browser.");
		}
		if (verb === "visible" || verb === "headless") {
			const setting = { type: "setting", path: "browser.visible", value: verb === "visible" } as const;
			const outcome = await host.sessionHost.apply(setting);
			if (!outcome.ok) throw new Error(outcome.reason);
			const isOpen = session?.running !== undefined;
			// A window cannot be added to a browser that runs; its cookies go on, and its pages do not.
			if (isOpen) await session?.close();
			const closed = isOpen ? " Its tabs were closed." : "";
			return host.notify(`The browser starts ${verb} with the next page.${closed}`);
		}
		if (verb !== "") throw new Error("Use /browser, /browser visible, /browser headless or /browser close.");
		const lines = session ? describeBrowser(session) : [];
		if (lines.length === 0) return host.notify("The browser is not running.");
		host.print(
			report(host.theme, (_, theme) => [
				theme.bold("Browser"),
				...lines.map((line) => theme.fg(line.startsWith(" ") ? "muted" : "text", line)),
			]),
		);
	},
};
