/** The directories and the played model with which tests of pi's SDK create sessions. */
import { afterEach, beforeEach } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";

import {
	createAgentSession,
	type CreateAgentSessionOptions,
	type CreateAgentSessionResult,
} from "../create-agent-session.ts";

export interface SdkFixture {
	/** Holds the other two. */
	base: string;
	agentDir: string;
	cwd: string;
	play(scenario: Scenario): Promise<PlayedModel>;
	/** Creates a session with the played model that loads nothing of the user who runs the test. */
	create(options?: CreateAgentSessionOptions): Promise<CreateAgentSessionResult>;
}

/** Each test of the calling file gets new directories, removed after it. */
export function sdkFixture(): SdkFixture {
	let base = "";
	const fixture: SdkFixture = {
		base: "",
		agentDir: "",
		cwd: "",
		async play(scenario) {
			const played = await playModel(scenario);
			writeFileSync(join(fixture.agentDir, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
			return played;
		},
		create(options = {}) {
			const { agentDir, cwd } = fixture;
			return createAgentSession({
				cwd,
				agentDir,
				model: "played/played-1",
				sessionManager: SessionManager.inMemory(cwd),
				resourceLoaderOptions: { noExtensions: true, noSkills: true },
				...options,
			});
		},
	};
	beforeEach(() => {
		base = mkdtempSync(join(tmpdir(), "tau-pi-sdk-"));
		Object.assign(fixture, { base, agentDir: join(base, "agent"), cwd: join(base, "project") });
		mkdirSync(fixture.agentDir);
		mkdirSync(fixture.cwd);
	});
	afterEach(() => rmSync(base, { recursive: true, force: true }));
	return fixture;
}
