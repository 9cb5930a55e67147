/** The bounds of tool schemas, each with its reason. */
export const limits = {
	/** Deeper than any schema written by hand, and than some servers read. */
	depth: 32,
	/** Some 60,000 tokens of each request: a schema this long is a mistake of an extension or an MCP server. */
	chars: 256 * 1024,
	/** OpenAI's limits in strict mode: levels of objects, properties and values of enumerations in one schema. */
	strictDepth: 10,
	strictProperties: 5000,
	strictEnumValues: 1000,
} as const;
