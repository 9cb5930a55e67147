/** pi's ProjectTrustStore over what Tau remembers of projects that may run code. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { setTrusted, trustOf } from "@tau/extensions/trust";
import { ownAgentDir } from "../support/directories.ts";

type Decision = boolean | null;

export class ProjectTrustStore {
	readonly #agentDir: string;

	constructor(agentDir?: string) {
		this.#agentDir = ownAgentDir(agentDir);
	}

	/** Null without an answer. */
	get(cwd: string): Decision {
		return trustOf(cwd, this.#agentDir) ?? null;
	}

	getEntry(cwd: string): { path: string; decision: boolean } | null {
		const decision = this.get(cwd);
		return decision === null ? null : { path: cwd, decision };
	}

	/** An extension may revoke trust; only the user grants it. */
	set(cwd: string, decision: Decision): void {
		if (decision === true) throw new Error("Only the user can trust a project. Start Tau with --trust.");
		setTrusted(cwd, this.#agentDir, false);
	}

	setMany(decisions: readonly { path: string; decision: Decision }[]): void {
		for (const { path, decision } of decisions) this.set(path, decision);
	}
}

/** Whether the project has code that runs only with trust. */
export function hasTrustRequiringProjectResources(cwd: string): boolean {
	const places = [".tau", ".omp", ".pi"].flatMap((name) =>
		["extensions", "tools", "hooks", "packages"].map((kind) => join(cwd, name, kind)),
	);
	return places.some((path) => existsSync(path));
}
