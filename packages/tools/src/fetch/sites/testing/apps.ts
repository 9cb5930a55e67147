/** Recorded pages of registries of applications. */
import type { RecordedSite } from "./recorded-site.ts";

export const apps: readonly RecordedSite[] = [
	{
		reader: "Ollama",
		url: "https://ollama.com/library/gemma",
		answers: {
			"https://ollama.com/library/gemma":
				"<html><head><title>gemma</title></head><body><nav>menu</nav><main id='m'><h1>gemma</h1><p>About it</p></main></body></html>",
		},
		title: "gemma",
		includes: ["# gemma\n\nAbout it"],
	},
	{
		reader: "Chocolatey",
		url: "https://community.chocolatey.org/packages/git",
		answers: {
			"https://community.chocolatey.org/packages/git":
				"<html><head><title>Git</title></head><body><nav>menu</nav><main><h1>Git</h1><p>Install it</p></main></body></html>",
		},
		title: "Git",
		includes: ["Install it"],
	},
	{
		reader: "Docker Hub",
		url: "https://hub.docker.com/_/postgres",
		answers: {
			"https://hub.docker.com/v2/repositories/library/postgres/": {
				namespace: "library",
				name: "postgres",
				description: "A database",
				pull_count: 9,
				star_count: 8,
				last_updated: "2026-01-02T00:00:00Z",
				full_description: "# How to use",
			},
			"https://hub.docker.com/v2/repositories/library/postgres/tags?page_size=20": {
				results: [{ name: "17", last_updated: "2026-01-02T00:00:00Z", full_size: 7 }],
			},
		},
		title: "library/postgres (Docker Hub)",
		includes: ["- Pulls: 9", "- 17 (2026-01-02, 7 bytes)", "# How to use"],
	},
	{
		reader: "Homebrew",
		url: "https://formulae.brew.sh/formula/ripgrep",
		answers: {
			"https://formulae.brew.sh/api/formula/ripgrep.json": {
				full_name: "ripgrep",
				desc: "Search",
				homepage: "https://github.com/BurntSushi/ripgrep",
				license: "MIT",
				versions: { stable: "14.1.0" },
				dependencies: ["pcre2"],
				analytics: { install: { "30d": { ripgrep: 5 } } },
				caveats: null,
			},
		},
		title: "ripgrep 14.1.0 (Homebrew)",
		includes: ["Search", "- Dependencies: pcre2", "- Installs in 30 days: 5"],
	},
	{
		reader: "AUR",
		url: "https://aur.archlinux.org/packages/yay",
		answers: {
			"https://aur.archlinux.org/rpc/v5/info/yay": {
				results: [
					{
						Name: "yay",
						Version: "12.0.0-1",
						Description: "A helper",
						Maintainer: "j",
						NumVotes: 3,
						LastModified: 1_767_312_000,
						Depends: ["pacman>6", "git"],
					},
				],
			},
		},
		title: "yay 12.0.0-1 (AUR)",
		includes: ["- Updated: 2026-01-02", "- Depends: pacman>6, git"],
	},
	{
		reader: "Flathub",
		url: "https://flathub.org/apps/org.gnome.Calculator",
		answers: {
			"https://flathub.org/api/v2/appstream/org.gnome.Calculator": {
				name: "Calculator",
				summary: "Sums",
				developer_name: "GNOME",
				project_license: "GPL-3.0",
				releases: [{ version: "47.0" }],
				description: "<p>It <b>adds</b>.</p>",
			},
		},
		title: "Calculator (Flathub)",
		includes: ["- Version: 47.0", "It **adds**."],
	},
	{
		reader: "F-Droid",
		url: "https://f-droid.org/en/packages/org.fdroid.fdroid/",
		answers: {
			"https://f-droid.org/api/v1/packages/org.fdroid.fdroid": {
				packageName: "org.fdroid.fdroid",
				suggestedVersionCode: 10,
				packages: [{ versionName: "1.2", versionCode: 10 }],
			},
		},
		title: "org.fdroid.fdroid (F-Droid)",
		includes: ["- 1.2 (10)"],
	},
	{
		reader: "Snapcraft",
		url: "https://snapcraft.io/hello",
		answers: {
			"https://api.snapcraft.io/v2/snaps/info/hello?fields=title,summary,description,license,publisher,version,website":
				{
					snap: {
						title: "Hello",
						summary: "Greets",
						license: "GPL-3.0",
						publisher: { "display-name": "Canonical" },
						description: "Long",
					},
					"channel-map": [{ channel: { name: "stable", architecture: "amd64" }, version: "2.10" }],
				},
		},
		title: "Hello (Snapcraft)",
		includes: ["- Publisher: Canonical", "- stable (amd64): 2.10"],
	},
	{
		reader: "Terraform Registry",
		url: "https://registry.terraform.io/modules/terraform-aws-modules/vpc/aws/latest",
		answers: {
			"https://registry.terraform.io/v1/modules/terraform-aws-modules/vpc/aws": {
				namespace: "terraform-aws-modules",
				name: "vpc",
				version: "5.0.0",
				description: "A network",
				published_at: "2026-01-02T00:00:00Z",
				downloads: 4,
				root: {
					inputs: [{ name: "cidr", type: "string", description: "The range" }],
					outputs: [{ name: "id", description: "Its id" }],
					readme: "# VPC",
				},
			},
		},
		title: "terraform-aws-modules/vpc 5.0.0 (Terraform)",
		includes: ["- cidr (string): The range", "- id: Its id", "# VPC"],
	},
	{
		reader: "Open VSX",
		url: "https://open-vsx.org/extension/redhat/java",
		answers: {
			"https://open-vsx.org/api/redhat/java": {
				displayName: "Java",
				version: "1.4",
				timestamp: "2026-01-02T00:00:00Z",
				license: "EPL-2.0",
				downloadCount: 3,
				description: "Java",
				files: { readme: "https://open-vsx.org/api/redhat/java/1.4/file/README.md" },
			},
			"https://open-vsx.org/api/redhat/java/1.4/file/README.md": "# Java",
		},
		title: "Java 1.4 (Open VSX)",
		includes: ["- License: EPL-2.0", "# Java"],
	},
	{
		reader: "VS Code Marketplace",
		url: "https://marketplace.visualstudio.com/items?itemName=ms-python.python",
		answers: {
			"https://marketplace.visualstudio.com/_apis/public/gallery/extensionquery": {
				results: [
					{
						extensions: [
							{
								displayName: "Python",
								shortDescription: "Support",
								publisher: { displayName: "Microsoft" },
								lastUpdated: "2026-01-02T00:00:00Z",
								versions: [{ version: "2026.1" }],
								statistics: [{ statisticName: "install", value: 12 }],
							},
						],
					},
				],
			},
		},
		title: "Python 2026.1 (VS Code Marketplace)",
		includes: ["- Identifier: ms-python.python", "- Installs: 12"],
	},
	{
		reader: "JetBrains Marketplace",
		url: "https://plugins.jetbrains.com/plugin/164-ideavim",
		answers: {
			"https://plugins.jetbrains.com/api/plugins/164": {
				name: "IdeaVim",
				preview: "Vim",
				vendor: { name: "JetBrains" },
				downloads: 2,
				urls: { sourceCodeUrl: "https://github.com/JetBrains/ideavim" },
				description: "<p>Emulates</p>",
			},
		},
		title: "IdeaVim (JetBrains Marketplace)",
		includes: ["- Vendor: JetBrains", "Emulates"],
	},
	{
		reader: "Firefox Add-ons",
		url: "https://addons.mozilla.org/en-US/firefox/addon/ublock-origin/",
		answers: {
			"https://addons.mozilla.org/api/v5/addons/addon/ublock-origin/?lang=en-US": {
				name: "uBlock Origin",
				summary: "Blocks",
				last_updated: "2026-01-02T00:00:00Z",
				average_daily_users: 1,
				current_version: {
					version: "1.60",
					license: { name: "GPL" },
					file: { permissions: ["storage", "tabs"] },
				},
				description: "<p>Efficient</p>",
			},
		},
		title: "uBlock Origin 1.60 (Firefox Add-ons)",
		includes: ["- Permissions: storage, tabs", "Efficient"],
	},
	{
		reader: "Artifact Hub",
		url: "https://artifacthub.io/packages/helm/bitnami/redis",
		answers: {
			"https://artifacthub.io/api/v1/packages/helm/bitnami/redis": {
				name: "redis",
				version: "20.0.0",
				app_version: "7.4",
				description: "A store",
				license: "Apache-2.0",
				readme: "# Redis",
			},
		},
		title: "redis 20.0.0 (Artifact Hub)",
		includes: ["- App version: 7.4", "# Redis"],
	},
	{
		reader: "Repology",
		url: "https://repology.org/project/git/versions",
		answers: {
			"https://repology.org/api/v1/project/git": [
				{ repo: "debian_13", version: "2.47", status: "newest", summary: "Versions" },
			],
		},
		title: "git (Repology)",
		includes: ["Versions", "- debian_13: 2.47 (newest)"],
	},
	{
		reader: "Hugging Face",
		url: "https://huggingface.co/google/gemma",
		answers: {
			"https://huggingface.co/api/models/google/gemma": {
				id: "google/gemma",
				pipeline_tag: "text-generation",
				library_name: "transformers",
				cardData: { license: "gemma" },
				downloads: 5,
				likes: 4,
				lastModified: "2026-01-02T00:00:00Z",
				gated: "manual",
				siblings: [{ rfilename: "config.json" }],
			},
			"https://huggingface.co/google/gemma/raw/main/README.md": "---\nlicense: gemma\n---\n# Gemma",
		},
		title: "google/gemma (Hugging Face)",
		includes: ["- Task: text-generation", "- Gated: yes", "- config.json", "## Card\n\n# Gemma"],
	},
];
