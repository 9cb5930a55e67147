/** The test entry point of the package: a played model for tests, benchmarks and users. */

export {
	browse,
	playOAuth,
	type OAuthScript,
	type PlayedOAuth,
} from "../credentials/testing/oauth-server.ts";
export { assertWellFormed } from "./events.ts";
export { testModel } from "./model.ts";
export { modelsYml, type ModelsYmlOptions } from "./models-yml.ts";
export { parseScenario, type ParsedScenario } from "./parse-scenario.ts";
export type { ReceivedRequest, WaitOptions } from "./received.ts";
export type {
	Answer,
	Block,
	Fault,
	ReasoningField,
	Scenario,
	Script,
	ScriptedStop,
	ScriptedUsage,
	Step,
	VendorError,
	When,
} from "./scenario.ts";
export { playModel, playedModelId, type PlayedModel, type PlayOptions } from "./server.ts";
