/** How vendors mark their tokens: written once, for the quick masking of logs and for the exact search before a share. */
export const tokenPrefixes = {
	/** Anthropic, OpenAI, OpenRouter and the many that imitate them. */
	sk: "sk-",
	google: "AIza",
	huggingFace: "hf_",
	groq: "gsk_",
	xai: "xai-",
	github: "gh[pousr]_",
	githubFineGrained: "github_pat_",
	gitlab: "glpat-",
	npm: "npm_",
	pypi: "pypi-",
	slack: "xox[a-z]",
	slackApp: "xapp",
	aws: "(?:A3T[A-Z0-9]|A(?:KIA|SIA|BIA|CCA|IDA|ROA))",
	/** A JSON object in Base64. */
	jwt: "eyJ",
} as const;
