/** The bounds of the gateway, each with its reason. */
export const limits = {
	/** A request with a dozen screenshots and a long conversation has some 30 MB; vendors accept 32 to 100. */
	bodyBytes: 64 * 1024 * 1024,
	/** Bodies that are being read or wait for their answer to begin, together: a few of the longest, or hundreds of usual ones. */
	bodiesBytes: 512 * 1024 * 1024,
	/** Those of one key: one that sends its bodies slowly, or never, leaves room for others. */
	accountBodiesBytes: 256 * 1024 * 1024,
	/** When there is no room for a body. */
	bodyRetryMs: 1_000,
	/** Bun's longest; a model that thinks in silence sends pings or nothing for minutes. */
	idleSeconds: 255,
	/** Requests to providers for one of a client, each with another credential. */
	attempts: 3,
	/** An error of a provider that is passed on; more says nothing. */
	errorBytes: 64 * 1024,
	/** An answer that is not streamed; the codecs' own bound. */
	documentBytes: 32 * 1024 * 1024,
	/** How long requests that run may take to end when the gateway stops. */
	endMs: 5_000,
	/** Messages of a websocket that a client may have waiting; it asks for one answer at a time. */
	socketMessages: 16,
	/** Bytes of an answer that wait for a client which does not read. */
	socketBytes: 1024 * 1024,
	/** Names in a header of what was dropped. */
	droppedNames: 32,
} as const;
