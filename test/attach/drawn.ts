/** Extensions that draw, written for pi, and terminals that join their sessions. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { OpenTau, type OpenOptions } from "../interactive/driver.ts";
import type { Launched } from "../support/launch.ts";

const imports = `import { CustomEditor } from "@earendil-works/pi-coding-agent"; import { SelectList, Text, matchesKey } from "@earendil-works/pi-tui";`;

/** Writes an extension whose factory has this body; gives its path. */
export function extension(home: Launched, body: string): string {
	const file = join(home.home, "..", "mine.ts");
	writeFileSync(file, `${imports}\nexport default function (pi) {\n${body}\n}\n`);
	return file;
}

/** Something in each place around the editor. */
export const around = `pi.on("session_start", (_event, ctx) => {
	ctx.ui.setWidget("mine", (tui, theme) => ({
		render: (width) => ["widget of " + width + " columns", theme.fg("accent", "in color")],
		invalidate() {},
	}));
	ctx.ui.setWidget("below", ["text below"], { placement: "belowEditor" });
	ctx.ui.setFooter((tui, theme, data) => ({ render: (width) => ["footer of " + width], invalidate() {} }));
	ctx.ui.setHeader(() => new Text("header of mine", 0, 0));
	ctx.ui.setTitle("title of mine");
});`;

/** `/go` shows a component that takes keys until `q`, and `/over` the same as an overlay. */
export const custom = `
let opened = 0;
const component = (tui, done) => {
	let keys = "";
	return {
		render: (width) => ["custom of " + width, "keys: " + keys],
		handleInput(data) {
			if (data === "q") return done(keys);
			keys += data;
			tui.requestRender();
		},
		invalidate() {},
		dispose() { pi.setSessionName("disposed " + ++opened); },
	};
};
const command = (options) => ({ handler: async (_args, ctx) => {
	const result = await ctx.ui.custom((tui, _theme, _keys, done) => component(tui, done), options);
	ctx.ui.notify("closed with " + result);
} });
pi.registerCommand("go", command(undefined));
pi.registerCommand("over", command({ overlay: true, overlayOptions: { width: 30, anchor: "top-right" } }));`;

export function joined(home: Launched, size: Pick<OpenOptions, "cols" | "rows" | "background">): OpenTau {
	const env = { COLORTERM: "truecolor" };
	return new OpenTau(home, { home, anyModel: true, args: ["attach"], env, ...size });
}

/** Types a command and sends it, without the menu in between. */
export function say(tau: OpenTau, text: string): void {
	tau.type(`${text} `);
	tau.press("enter");
}
