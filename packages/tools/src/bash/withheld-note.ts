/** Says which variable a failed command would have needed, where that was not passed on because it looks like a secret. */
import { withheldSecrets, type Env } from "@tau/utils";

/** Programs that read a variable which neither their command line nor their message names. */
const readers: readonly (readonly [programs: RegExp, variables: RegExp])[] = [
	[/\b(?:gh|hub)\b/, /^(?:GH|GITHUB)_(?:ENTERPRISE_)?TOKEN$/],
	[/\bglab\b/, /^GITLAB_(?:ACCESS_)?TOKEN$/],
	[/\b(?:aws|sam|cdk|eksctl)\b/, /^AWS_/],
	[/\b(?:npm|npx|yarn|pnpm|bun)\b/, /^(?:NPM|NODE_AUTH|YARN)_?.*TOKEN$/i],
	[/\b(?:psql|pg_dump|pg_restore|createdb)\b/, /^PGPASSWORD$/],
	[/\bmysql(?:dump|admin)?\b/, /^MYSQL_PWD$/],
	[/\bredis-cli\b/, /^REDISCLI_AUTH$/],
	[/\bcargo\b/, /^CARGO_.*TOKEN$/],
	[/\b(?:twine|poetry|uv)\b/, /^(?:TWINE|POETRY|UV)_.*(?:PASSWORD|TOKEN)/],
	[/\b(?:hf|huggingface-cli)\b/, /^(?:HF|HUGGING_?FACE(?:_HUB)?)_TOKEN$/],
	[/\b(?:terraform|tofu)\b/, /^(?:TF|AWS|ARM|GOOGLE)_/],
	[/\bvault\b/, /^VAULT_TOKEN$/],
	[/\bwrangler\b/, /^CLOUDFLARE_/],
	[
		/\b(?:vercel|netlify|fly|flyctl|doctl|heroku|sentry-cli|stripe|az|gcloud)\b/,
		/^[A-Z]+_.*(?:TOKEN|KEY|SECRET)$/,
	],
];

/** Undefined if none of the withheld variables has to do with the command. */
export function withheldNote(command: string, output: string, env: Env): string | undefined {
	const names = Object.keys(withheldSecrets(env)).filter(
		(name) =>
			mentions(command, name) ||
			mentions(output, name) ||
			readers.some(([programs, variables]) => programs.test(command) && variables.test(name)),
	);
	if (names.length === 0) return undefined;
	const all = names.join(", ");
	return `[Not passed to the command, because it looks like a secret: ${all}. The user can allow it in config.yml: environment.pass: [${all}]]`;
}

function mentions(text: string, name: string): boolean {
	return new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`).test(text);
}
