/** What extensions get when they import pi's package of models, by any of its names. */
import { uuidv7 } from "@tau/utils";
import { laterStream } from "@tau/extensions/providers";
import { StringEnum, Type } from "@tau/extensions/typebox";

import { askingExports, protocolApis, protocolStreams } from "./ai/asking.ts";
import { loginExports } from "./ai/builtin-logins.ts";
import { providerExports, providerFactories } from "./ai/builtin-providers.ts";
import { collectionExports } from "./ai/collection.ts";
import { contextExports } from "@tau/extensions/support";
import { credentialExports } from "./ai/credentials.ts";
import { diagnosticExports } from "./ai/diagnostics.ts";
import { fauxExports } from "./ai/faux.ts";
import { identityExports } from "./ai/identity.ts";
import { imageExports } from "./ai/images.ts";
import { jsonExports } from "./ai/json.ts";
import { modelExports } from "./ai/models.ts";
import { oauthExports } from "./ai/oauth.ts";
import { overflowExports } from "./ai/overflow.ts";
import { resourceExports } from "./ai/session-resources.ts";
import { StreamingJsonParser } from "./ai/streaming-json.ts";
import { validationExports } from "./ai/validation.ts";
import { AssistantMessageEventStream, EventStream } from "./support/event-stream.ts";

/** Everything of all versions under one roof: what one of them has by another name is here by both. */
export function aiExports(): Record<string, unknown> {
	return {
		...askingExports,
		...protocolStreams(),
		...protocolApis(),
		...providerFactories(),
		...providerExports,
		...loginExports,
		...collectionExports,
		...contextExports,
		...credentialExports,
		...diagnosticExports,
		...fauxExports,
		...identityExports,
		...imageExports,
		...jsonExports,
		...modelExports,
		...oauthExports,
		...overflowExports,
		...resourceExports,
		...validationExports,
		...oneByAnotherName(),
		...withoutEffect(),
		StreamingJsonParser,
		Type,
		StringEnum,
		EventStream,
		AssistantMessageEventStream,
		createAssistantMessageEventStream: () => new AssistantMessageEventStream(),
		uuidv7,
		lazyStream: laterStream,
	};
}

function oneByAnotherName(): Record<string, unknown> {
	const { stream, complete, getApiProvider, unregisterApiProviders, clearApiProviders } = askingExports;
	return {
		streamSimple: stream,
		completeSimple: complete,
		getCustomApi: getApiProvider,
		unregisterCustomApis: unregisterApiProviders,
		clearCustomApis: clearApiProviders,
		resetApiProviders: clearApiProviders,
		getBuiltinModel: modelExports.getModel,
		getBuiltinModels: modelExports.getModels,
		getBuiltinProviders: modelExports.getProviders,
		renderSystemMessageUpdate: contextExports.getSystemMessageText,
	};
}

/** What has nothing to do in Tau can be called all the same. */
function withoutEffect(): Record<string, unknown> {
	const nothing = (): void => {};
	return {
		AI_TELEMETRY_SCHEMA: { version: 1, spans: {} },
		registerBuiltInApiProviders: nothing,
		registerBuiltInImagesApiProviders: nothing,
		registerBunOAuthFlows: nothing,
		setBedrockProviderModule: nothing,
		getImageModel: nothing,
		getImageModels: () => [],
		getImageProviders: () => [],
		getOverflowPatterns: () => [],
		getOpenCodeSessionHeaders: nothing,
	};
}
