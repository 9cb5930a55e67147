/** pi's line at the foot of the screen, for extensions that put it somewhere themselves. */
import { truncateToWidth, type Component } from "@tau/tui";
import { oneLine, shortenHome } from "@tau/utils";
import type { FooterData } from "@tau/extensions/ui";

import { limits } from "./limits.ts";
import { screenTheme } from "../support/screen-theme.ts";

/** The session that it shows: one of ours or of `createAgentSession`. */
export interface FooterSession {
	readonly model: { readonly id: string } | undefined;
	readonly sessionManager?: { getCwd(): string };
	getContextUsage?(): { percent?: number | null } | undefined;
	contextUsage?(): { percent?: number | null };
}

export class FooterComponent implements Component {
	readonly #data: FooterData;
	#session: FooterSession;

	constructor(session: FooterSession, footerData: FooterData) {
		this.#session = session;
		this.#data = footerData;
	}

	setSession(session: FooterSession): void {
		this.#session = session;
	}

	/** The line does not show it. */
	setAutoCompactEnabled(_enabled: boolean): void {
		this.invalidate();
	}

	invalidate(): void {
		// Nothing is cached: each frame reads anew.
	}

	dispose(): void {
		// The provider of the data owns its watchers.
	}

	render(width: number): string[] {
		const session = this.#session;
		const cwd = shortenHome(session.sessionManager?.getCwd() ?? process.cwd());
		const branch = this.#data.getGitBranch();
		const usage = session.getContextUsage?.() ?? session.contextUsage?.();
		const percent = usage?.percent;
		const parts = [
			branch === null ? cwd : `${cwd} (${branch})`,
			...(percent === null || percent === undefined ? [] : [`${percent.toFixed(1)}%`]),
			session.model?.id ?? "no model",
		];
		const statuses = [...this.#data.getExtensionStatuses()].toSorted(([a], [b]) => a.localeCompare(b));
		const message = statuses.map(([, text]) => oneLine(text, limits.titleChars)).join(" ");
		const rows = [
			screenTheme().fg("dim", parts.map((part) => oneLine(part, limits.titleChars)).join("  ·  ")),
			message,
		];
		return rows.filter((row) => row !== "").map((row) => truncateToWidth(row, width));
	}
}
