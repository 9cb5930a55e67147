/** The Homebrew formula of a release. */
import type { About } from "./npm.ts";
import type { Released } from "./platforms.ts";

interface Formula extends About {
	released: readonly Released[];
}

export function formula({ version, license, repository, released }: Formula): string {
	const home = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
	const blocks = (["darwin", "linux"] as const).map((os) => {
		const rows = released
			.filter(({ platform }) => platform.os === os && platform.libc !== "musl")
			.map(({ platform, file, sha256 }) => {
				const url = `${home}/releases/download/v${version}/${file}`;
				return `    on_${platform.cpu === "arm64" ? "arm" : "intel"} do
      url "${url}"
      sha256 "${sha256}"
    end`;
			});
		return rows.length === 0
			? ""
			: `  on_${os === "darwin" ? "macos" : "linux"} do\n${rows.join("\n")}\n  end\n\n`;
	});
	return `class Tau < Formula
  desc "Coding agent for the terminal"
  homepage "${home}"
  version "${version}"
  license "${license}"

${blocks.join("")}  def install
    bin.install "tau"
    man1.install "tau.1"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/tau --version").strip
  end
end
`;
}
