/** An empty home for Tau whose only model is a played one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, type PlayedModel } from "@tau/ai/testing";

export const tau = join(import.meta.dir, "../tau");
export const modelName = "played/played-1";

export interface Home extends Disposable {
	readonly env: Record<string, string>;
	/** A directory to work in. */
	readonly project: string;
}

/** Where a played model listens; it may be in another thread. */
export type ModelServer = Pick<PlayedModel, "anthropicUrl" | "openaiUrl">;

export function homeFor(played: ModelServer): Home {
	const path = mkdtempSync(join(tmpdir(), "tau-bench-"));
	const [agent, project] = [join(path, ".tau/agent"), join(path, "project")];
	mkdirSync(agent, { recursive: true });
	mkdirSync(project);
	writeFileSync(join(agent, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
	return {
		env: { HOME: path, TAU_FROM_SOURCE: "" },
		project,
		[Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
	};
}
