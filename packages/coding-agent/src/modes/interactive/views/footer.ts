/** The last row: where one is, with which model, how full its context is and what it has cost. */
import { progressBar, truncateToWidth, visibleWidth, type Component, type Theme } from "@tau/tui";
import { oneLine, shortenHome } from "@tau/utils";
import type { ContextUsage } from "@tau/session";
import { footerSegments } from "@tau/session/settings";

import { limits } from "../limits.ts";
import { money, tokens } from "./format.ts";

export interface FooterFacts {
	cwd: string;
	git: { branch: string; isDirty: boolean } | undefined;
	sessionName: string | undefined;
	/** Nothing until it is known. */
	model: { provider: string; id: string; reasoning: boolean } | undefined;
	thinking: string;
	context: ContextUsage | undefined;
	used: { input: number; output: number; cost: number };
	/** Words of commands and extensions. */
	statuses: readonly string[];
	/** A short message in response to a key: it stays visible even if there is little room. */
	flash: string | undefined;
	segments: readonly string[];
}

type Segment = (typeof footerSegments)[number];

/** What is left out first where there is no room. */
const dispensable: readonly Segment[] = [
	"session",
	"tokens",
	"cost",
	"cwd",
	"thinking",
	"git",
	"status",
	"context",
];
const barCells = 6;

export class Footer implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #facts: () => FooterFacts;

	constructor(theme: { readonly current: Theme }, facts: () => FooterFacts) {
		this.#theme = theme;
		this.#facts = facts;
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		const theme = this.#theme.current;
		const facts = this.#facts();
		const wanted = facts.segments.length > 0 ? facts.segments : footerSegments;
		const parts = wanted
			.map((name) => footerSegments.find((known) => known === name))
			.filter((name) => name !== undefined)
			.map((name) => ({ name, text: draw[name](facts, theme) }))
			.filter(({ text }) => text !== "");
		const gap = theme.fg("dim", " · ");
		const flash =
			facts.flash === undefined ? [] : [theme.fg("muted", oneLine(facts.flash, limits.lineChars))];
		const joined = (): string => ` ${[...parts.map(({ text }) => text), ...flash].join(gap)}`;
		for (const name of dispensable) {
			if (visibleWidth(joined()) <= width) break;
			const at = parts.findIndex((part) => part.name === name);
			if (at >= 0 && parts.length > 1) parts.splice(at, 1);
		}
		if (flash.length > 0 && visibleWidth(joined()) > width) parts.length = 0;
		return [truncateToWidth(joined(), width)];
	}
}

const draw: Record<Segment, (facts: FooterFacts, theme: Theme) => string> = {
	cwd: ({ cwd }, theme) => theme.fg("muted", oneLine(shortenHome(cwd), 48)),
	git: ({ git }, theme) =>
		git ? theme.fg("muted", oneLine(git.branch, 32)) + (git.isDirty ? theme.fg("warning", "*") : "") : "",
	session: ({ sessionName }, theme) => (sessionName ? theme.fg("muted", oneLine(sessionName, 32)) : ""),
	context: ({ context }, theme) => (context && context.contextWindow > 0 ? contextBar(context, theme) : ""),
	tokens: ({ used: { input, output } }, theme) =>
		input + output > 0 ? theme.fg("dim", `↑${tokens(input)} ↓${tokens(output)}`) : "",
	cost: ({ used: { cost } }, theme) => (cost > 0 ? theme.fg("dim", money(cost)) : ""),
	model: ({ model }, theme) => theme.fg("muted", model ? oneLine(model.id, 40) : "…"),
	thinking: ({ model, thinking }, theme) =>
		model?.reasoning && thinking !== "off" ? theme.fg("dim", thinking) : "",
	status: ({ statuses }, theme) => statuses.map((text) => theme.fg("dim", oneLine(text, 60))).join(" "),
};

function contextBar({ percent, contextWindow, exact }: ContextUsage, theme: Theme): string {
	const color = percent > 90 ? "error" : percent > 70 ? "warning" : "muted";
	const bar = progressBar(
		percent / 100,
		barCells,
		(text) => theme.fg(color, text),
		(text) => theme.fg("dim", text),
	);
	const share = `${exact ? "" : "~"}${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
	return `${bar} ${theme.fg(color, share)}${theme.fg("dim", ` of ${tokens(contextWindow)}`)}`;
}
