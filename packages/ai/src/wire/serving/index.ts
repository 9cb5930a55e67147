/** What a server needs that answers clients in the vendors' protocols: the entry point `@tau/ai/serving`. */
export { forward, ForwardedAnswer, type ForwardedRequest } from "../../forward.ts";
export { UsageProbe } from "../../usage-probe.ts";
export { isObject, list, object, parseObject, string, type Json } from "../../json.ts";
export { RequestProblem, type AnswerFacts, type ServedProtocol, type ServedRequest } from "./types.ts";
export { withoutForeignMedia } from "./addresses.ts";
export { addExtras, leftOut, unsupportedExtras } from "./extras.ts";
export { servedProtocols, type ProtocolName } from "./table.ts";
export { asList } from "./answer-list.ts";
export { countedUsage, estimatedTokens, mostTokens } from "./estimates.ts";
export { modelList, nameOf } from "./model-lists.ts";
export { modelRoute, type ModelRoute } from "./routes.ts";
