/** The commands of the model that run by themselves, in one row. */
import { truncateToWidth, type Component, type Theme } from "@tau/tui";
import { oneLine } from "@tau/utils";
import type { EventFrameOf } from "@tau/wire";

import { limits } from "../limits.ts";
import { plural } from "./format.ts";

export class JobsLine implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #jobs = new Map<string, string>();
	/** Addresses at which the user reaches servers of jobs, by job. */
	readonly #ports = new Map<string, Set<string>>();

	constructor(theme: { readonly current: Theme }) {
		this.#theme = theme;
	}

	follow({ id, label, state }: EventFrameOf<"job_update">): void {
		if (state === "running") this.#jobs.set(id, oneLine(label, limits.lineChars));
		else {
			this.#jobs.delete(id);
			this.#ports.delete(id);
		}
	}

	followPort({ jobId, address, state }: EventFrameOf<"port_update">): void {
		if (jobId === undefined || !this.#jobs.has(jobId)) return;
		const open = this.#ports.get(jobId) ?? new Set();
		if (state === "open") open.add(address);
		else open.delete(address);
		this.#ports.set(jobId, open);
	}

	/** The session is another one. */
	clear(): void {
		this.#jobs.clear();
		this.#ports.clear();
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		if (this.#jobs.size === 0) return [];
		const theme = this.#theme.current;
		const head = `${theme.fg("accent", " ◷")} ${theme.fg("text", plural(this.#jobs.size, "background job"))}`;
		const labels = [...this.#jobs].map(([id, label]) => {
			const addresses = [...(this.#ports.get(id) ?? [])].map((address) => ` → http://${address}`);
			return ` · #${id} ${label}${addresses.join("")}`;
		});
		return ["", truncateToWidth(head + theme.fg("muted", labels.join("")), width)];
	}
}
