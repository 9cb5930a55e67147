/** Recorded pages of registries of packages. */
import type { RecordedSite } from "./recorded-site.ts";

export const packages: readonly RecordedSite[] = [
	{
		reader: "npm",
		url: "https://www.npmjs.com/package/@scope/name/v/1.2.0",
		answers: {
			"https://registry.npmjs.org/@scope%2fname/1.2.0": {
				name: "@scope/name",
				version: "1.2.0",
				description: "Does it",
				license: "MIT",
				repository: { url: "git+https://github.com/a/b.git" },
				engines: { node: ">=20" },
				dependencies: { zod: "^4" },
				deprecated: "use other",
			},
			"https://registry.npmjs.org/@scope%2fname": {
				"dist-tags": { latest: "2.0.0" },
				time: { "1.2.0": "2026-01-02T00:00:00Z" },
				readme: "# Name",
			},
			"https://api.npmjs.org/downloads/point/last-week/@scope%2fname": { downloads: 42 },
		},
		title: "@scope/name 1.2.0 (npm)",
		includes: [
			"Does it",
			"- Latest: 2.0.0",
			"- Published: 2026-01-02",
			"- Repository: https://github.com/a/b",
			"- Weekly downloads: 42",
			"- Deprecated: use other",
			"- zod: ^4",
			"# Name",
		],
	},
	{
		reader: "PyPI",
		url: "https://pypi.org/project/requests/",
		answers: {
			"https://pypi.org/pypi/requests/json": {
				info: {
					name: "requests",
					version: "2.32.0",
					summary: "HTTP",
					license: "Apache-2.0\nmore",
					requires_python: ">=3.8",
					project_urls: { Source: "https://github.com/psf/requests" },
					requires_dist: ["idna<4"],
					description: "# Requests",
				},
				urls: [{ upload_time_iso_8601: "2026-01-02T00:00:00Z" }],
			},
		},
		title: "requests 2.32.0 (PyPI)",
		includes: [
			"- License: Apache-2.0\n",
			"- Source: https://github.com/psf/requests",
			"- idna<4",
			"# Requests",
		],
	},
	{
		reader: "crates.io",
		url: "https://crates.io/crates/serde",
		answers: {
			"https://crates.io/api/v1/crates/serde": {
				crate: {
					name: "serde",
					max_stable_version: "1.0.0",
					description: "Serialize",
					downloads: 9,
					repository: "https://github.com/serde-rs/serde",
				},
				versions: [
					{
						num: "1.0.0",
						created_at: "2026-01-02T00:00:00Z",
						license: "MIT OR Apache-2.0",
						rust_version: "1.56",
						features: { derive: [] },
					},
				],
			},
			"https://crates.io/api/v1/crates/serde/1.0.0/readme": "<h1>Serde</h1><p>Read <a href='/me'>me</a></p>",
			"https://crates.io/api/v1/crates/serde/1.0.0/dependencies": {
				dependencies: [
					{ crate_id: "serde_derive", req: "^1", kind: "normal", optional: true },
					{ crate_id: "x", kind: "dev" },
				],
			},
		},
		title: "serde 1.0.0 (crates.io)",
		includes: [
			"- Rust: 1.56",
			"- Features: derive",
			"- serde_derive ^1 (optional)",
			"# Serde",
			"[me](https://crates.io/me)",
		],
	},
	{
		reader: "docs.rs",
		url: "https://docs.rs/serde/latest/serde/",
		answers: {
			"https://docs.rs/serde/latest/serde/":
				'<html><head><title>serde - Rust</title></head><body><nav>menu</nav><main><div class="width-limiter"><section id="main-content" class="content"><h1>Crate serde</h1><pre class="rust"><code>fn a()</code></pre></section></div></main></body></html>',
		},
		title: "serde - Rust",
		includes: ["# Crate serde", "fn a()"],
	},
	{
		reader: "pkg.go.dev",
		url: "https://pkg.go.dev/golang.org/x/sync/errgroup",
		answers: {
			"https://pkg.go.dev/golang.org/x/sync/errgroup":
				"<html><head><title>errgroup package</title></head><body><header>x</header><main class='a'><h3>func WithContext</h3><pre>func WithContext()</pre></main></body></html>",
		},
		title: "errgroup package",
		includes: ["### func WithContext", "```\nfunc WithContext()\n```"],
	},
	{
		reader: "RubyGems",
		url: "https://rubygems.org/gems/rails",
		answers: {
			"https://rubygems.org/api/v1/gems/rails.json": {
				name: "rails",
				version: "8.0.0",
				info: "Full-stack",
				version_created_at: "2026-01-02T00:00:00Z",
				licenses: ["MIT"],
				downloads: 5,
				source_code_uri: "https://github.com/rails/rails",
				dependencies: { runtime: [{ name: "activerecord", requirements: "= 8.0.0" }] },
			},
		},
		title: "rails 8.0.0 (RubyGems)",
		includes: ["Full-stack", "- License: MIT", "- activerecord = 8.0.0"],
	},
	{
		reader: "Packagist",
		url: "https://packagist.org/packages/laravel/framework",
		answers: {
			"https://packagist.org/packages/laravel/framework.json": {
				package: {
					name: "laravel/framework",
					description: "The framework",
					downloads: { total: 8 },
					repository: "https://github.com/laravel/framework",
					versions: {
						"dev-main": { version: "dev-main" },
						"v12.0.0": {
							version: "v12.0.0",
							time: "2026-01-02T00:00:00Z",
							license: ["MIT"],
							require: { php: "^8.2" },
						},
					},
				},
			},
		},
		title: "laravel/framework v12.0.0 (Packagist)",
		includes: ["- License: MIT", "- php: ^8.2"],
	},
	{
		reader: "NuGet",
		url: "https://www.nuget.org/packages/Newtonsoft.Json",
		answers: {
			"https://api.nuget.org/v3/registration5-semver1/newtonsoft.json/index.json": {
				items: [{ "@id": "https://api.nuget.org/v3/registration5-semver1/newtonsoft.json/page/1.json" }],
			},
			"https://api.nuget.org/v3/registration5-semver1/newtonsoft.json/page/1.json": {
				items: [
					{
						catalogEntry: {
							id: "Newtonsoft.Json",
							version: "13.0.3",
							description: "JSON",
							published: "2026-01-02T00:00:00Z",
							licenseExpression: "MIT",
							dependencyGroups: [
								{
									targetFramework: ".NETStandard1.0",
									dependencies: [{ id: "System.X", range: "[4.3.0, )" }],
								},
							],
						},
					},
				],
			},
		},
		title: "Newtonsoft.Json 13.0.3 (NuGet)",
		includes: ["- License: MIT", "- .NETStandard1.0\n  - System.X [4.3.0, )"],
	},
	{
		reader: "Hex",
		url: "https://hex.pm/packages/phoenix",
		answers: {
			"https://hex.pm/api/packages/phoenix": {
				name: "phoenix",
				latest_stable_version: "1.8.0",
				meta: { description: "Web", licenses: ["MIT"], links: { GitHub: "https://github.com/p" } },
				updated_at: "2026-01-02T00:00:00Z",
				downloads: { all: 6 },
			},
		},
		title: "phoenix 1.8.0 (Hex)",
		includes: ["- License: MIT", "- GitHub: https://github.com/p"],
	},
	{
		reader: "pub.dev",
		url: "https://pub.dev/packages/http",
		answers: {
			"https://pub.dev/api/packages/http": {
				name: "http",
				latest: {
					version: "1.2.0",
					published: "2026-01-02T00:00:00Z",
					pubspec: {
						description: "Requests",
						environment: { sdk: "^3.4.0" },
						dependencies: { async: "^2.5.0", flutter: { sdk: "flutter" } },
					},
				},
			},
		},
		title: "http 1.2.0 (pub.dev)",
		includes: ["- SDK: ^3.4.0", "- async: ^2.5.0", '- flutter: {"sdk":"flutter"}'],
	},
	{
		reader: "Hackage",
		url: "https://hackage.haskell.org/package/aeson-2.2.0.0",
		answers: {
			"https://hackage.haskell.org/package/aeson-2.2.0.0/aeson.cabal": "name: aeson\nversion: 2.2.0.0\n",
			"https://hackage.haskell.org/package/aeson-2.2.0.0/readme.txt": "# aeson",
		},
		title: "aeson-2.2.0.0 (Hackage)",
		includes: ["```cabal\nname: aeson", "# aeson"],
	},
	{
		reader: "MetaCPAN",
		url: "https://metacpan.org/dist/Mojolicious",
		answers: {
			"https://fastapi.metacpan.org/v1/release/Mojolicious": {
				distribution: "Mojolicious",
				version: "9.39",
				abstract: "Web",
				author: "SRI",
				date: "2026-01-02T00:00:00",
				license: ["artistic_2"],
				dependency: [
					{ module: "perl", version: "5.016", phase: "runtime" },
					{ module: "Test::More", phase: "test" },
				],
			},
		},
		title: "Mojolicious 9.39 (MetaCPAN)",
		includes: ["- Author: SRI", "- perl 5.016"],
	},
	{
		reader: "Maven Central",
		url: "https://central.sonatype.com/artifact/com.google.guava/guava",
		answers: {
			"https://search.maven.org/solrsearch/select?q=g:%22com.google.guava%22+AND+a:%22guava%22&core=gav&rows=20&wt=json":
				{ response: { docs: [{ v: "33.0.0-jre", timestamp: 1_767_312_000_000 }] } },
		},
		title: "com.google.guava:guava 33.0.0-jre (Maven Central)",
		includes: ["- 33.0.0-jre (2026-01-02)"],
	},
	{
		reader: "Clojars",
		url: "https://clojars.org/metosin/malli",
		answers: {
			"https://clojars.org/api/artifacts/metosin/malli": {
				group_name: "metosin",
				jar_name: "malli",
				latest_version: "0.16.0",
				description: "Schemas",
				downloads: 3,
				recent_versions: [{ version: "0.16.0" }],
			},
		},
		title: "metosin/malli 0.16.0 (Clojars)",
		includes: ["Schemas", "- 0.16.0"],
	},
];
