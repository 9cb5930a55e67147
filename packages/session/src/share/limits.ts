/** The bounds of sharing, each with its reason. */
const megabyte = 1024 * 1024;

export const limits = {
	/** What relays take, less the seal. */
	relayBytes: 20 * megabyte - 64,
	/** Base64 of this is what GitHub takes without complaint. */
	gistBytes: 5 * megabyte,
	/** Texts are cut to these in turn until the share fits. */
	textChars: [32_768, 8192, 2048, 512],
	/** 3 is zstd's own default; higher levels cost seconds for a tenth less. */
	zstdLevel: 3,
	uploadMs: 120_000,
	requestMs: 30_000,
	/** A list of thousands of shares. */
	ledgerBytes: 4 * megabyte,
	/** Of an answer that says why something failed. */
	reasonChars: 300,
	/** Names and findings that the preview lists. */
	listedFiles: 12,
	listedFindings: 20,
} as const;
