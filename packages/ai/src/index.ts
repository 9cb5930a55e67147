/** The public interface of @tau/ai. */
export { accessOptions, modelAt, type Access } from "./access.ts";
export { clientHeaders, codexAccount, projectOf, setAnthropicKey, splitKey } from "./auth/index.ts";
export * from "./credentials/index.ts";
export { MessageBuilder } from "./message-builder.ts";
export { classify, failure } from "./failure.ts";
export { eventParser, IncrementalJson } from "./parse/index.ts";
export * from "./providers/index.ts";
export { retryAfterMs, statedWaitMs } from "./retry-after.ts";
export { connectionTo } from "./transport/index.ts";
export { ownStream } from "./types.ts";
export { stream, streamByCodec } from "./stream.ts";
export * from "./types.ts";
export { cacheLifetimeMs } from "./wire/cache.ts";
export { isAudio, takesAudio } from "./wire/media.ts";
export { toolsAtBeginning } from "./wire/tool-references.ts";
export { addCost, noUsage } from "./usage.ts";
export { fittingLevel, levelsOf, nextLevel } from "./thinking-levels.ts";
export { isVirtualModel, virtualApi } from "./virtual-models.ts";
