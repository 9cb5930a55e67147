/** The commands of the model that run by themselves, in one row. */
import { truncateToWidth, type Component, type Theme } from "@tau/tui";
import { oneLine } from "@tau/utils";
import type { SessionEvent } from "@tau/session";

import { limits } from "../limits.ts";
import { plural } from "./format.ts";

export class JobsLine implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #jobs = new Map<string, string>();

	constructor(theme: { readonly current: Theme }) {
		this.#theme = theme;
	}

	follow({ id, label, state }: Extract<SessionEvent, { type: "job_update" }>): void {
		if (state === "running") this.#jobs.set(id, oneLine(label, limits.lineChars));
		else this.#jobs.delete(id);
	}

	/** The session is another one. */
	clear(): void {
		this.#jobs.clear();
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		if (this.#jobs.size === 0) return [];
		const theme = this.#theme.current;
		const head = `${theme.fg("accent", " ◷")} ${theme.fg("text", plural(this.#jobs.size, "background job"))}`;
		const labels = [...this.#jobs].map(([id, label]) => ` · #${id} ${label}`).join("");
		return ["", truncateToWidth(head + theme.fg("muted", labels), width)];
	}
}
