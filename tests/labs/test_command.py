"""The command line, against Docker's options and what a real `sh` makes of the same line."""

import shlex
import subprocess

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from labs.command import Command, NotRunnable, parse_command

DOCKER_AS_PRINTF = 'docker() { printf "%s\\0" "$@"; }\n'

PART_ONE = r"""docker exec -w /home/node/project agent sh -c "printf '%s\n' 'const fs = require(\"fs\");' 'const CHECK = \"demo/checkpoint.json\";' 'const LOG = \"demo/charges.log\";' 'const orders = [\"A1\", \"A2\", \"A3\", \"A4\", \"A5\"];' 'const crashAt = process.argv[2];' 'fs.mkdirSync(\"demo\", { recursive: true });' 'function load() {' '  try { return JSON.parse(fs.readFileSync(CHECK, \"utf8\")); } catch (error) { return { done: [], started: null }; }' '}' 'function save(state) { fs.writeFileSync(CHECK, JSON.stringify(state)); }' 'function charge(id) {' '  const seen = fs.existsSync(LOG) ? fs.readFileSync(LOG, \"utf8\").split(\"\n\") : [];' '  if (seen.indexOf(id) >= 0) { console.log(id + \": already charged, not charging again\"); return; }' '  fs.appendFileSync(LOG, id + \"\n\");' '}' > batch1.js"
"""  # noqa: E501 (verbatim)
PART_TWO = r"""docker exec -w /home/node/project agent sh -c "printf '%s\n' 'const state = load();' 'console.log(\"Done so far: \" + (state.done.join(\",\") || \"nothing\") + \". Interrupted at: \" + state.started);' 'for (const id of orders) {' '  if (state.done.indexOf(id) >= 0) { console.log(id + \": skipped, already done\"); continue; }' '  state.started = id;' '  save(state);' '  charge(id);' '  if (id === crashAt) { console.log(\"Crash while working on \" + id); process.exit(1); }' '  state.done.push(id);' '  state.started = null;' '  save(state);' '  console.log(id + \": done\");' '}' 'console.log(\"Finished. Charges: \" + fs.readFileSync(LOG, \"utf8\").trim().split(\"\n\").length);' >> batch1.js"
"""  # noqa: E501 (verbatim)
CRASH = """docker exec -w /home/node/project agent sh -c "rm -rf demo; node batch1.js A3"\n"""
RESUME = """docker exec -w /home/node/project agent node batch1.js\n"""


def words_by_sh(line: str, directory: object) -> list[str]:
    """The words that `sh` hands to `docker`, here a function that prints them."""
    finished = subprocess.run(
        ["sh", "-c", DOCKER_AS_PRINTF + line],
        env={},
        cwd=str(directory),
        capture_output=True,
        check=True,
        timeout=60,
    )
    return finished.stdout.decode().split("\0")[:-1]


def why_not(line: str) -> str:
    with pytest.raises(NotRunnable) as refusal:
        parse_command(line)
    return str(refusal.value)


def outcome(line: str) -> Command | str:
    """The command, or the sentence that refuses it."""
    try:
        return parse_command(line)
    except NotRunnable as refusal:
        return str(refusal)


# What runs.


def test_a_plain_command_runs_in_the_project_folder():
    assert parse_command("docker exec agent node batch1.js") == Command(
        argv=("node", "batch1.js"), workdir="/home/node/project", env=(), container="agent"
    )


@pytest.mark.parametrize("line", [PART_ONE, PART_TWO, CRASH, RESUME])
def test_each_command_of_the_first_lesson_is_read_as_sh_reads_it(line, tmp_path):
    by_sh = words_by_sh(line, tmp_path)
    assert by_sh[:4] == ["exec", "-w", "/home/node/project", "agent"]
    assert list(parse_command(line).argv) == by_sh[4:]


def test_a_script_in_double_quotes_keeps_its_backslash_n():
    argv = parse_command(PART_ONE).argv
    assert argv[:2] == ("sh", "-c")
    assert argv[2].startswith("printf '%s\\n' 'const fs = require(\"fs\");' ")
    assert 'split("\\n")' in argv[2]
    assert argv[2].endswith("'}' > batch1.js")


def test_a_script_over_several_lines_keeps_every_line():
    line = "docker exec agent sh -c 'cd demo\n  ls | wc -l   # count\n'\n"
    assert parse_command(line).argv == ("sh", "-c", "cd demo\n  ls | wc -l   # count\n")


def test_a_backslash_at_the_end_of_a_line_goes_on_in_the_next():
    assert parse_command("docker exec \\\n  agent \\\n  ls de\\\nmo\n").argv == ("ls", "demo")


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("'a b'", "a b"),
        ("''", ""),
        ("a'b'\"c\"\\d", "abcd"),
        ("'\\n$HOME`x`\"'", '\\n$HOME`x`"'),
        (r'"\$HOME \`x\` \" \\ \n \a"', r'$HOME `x` " \ \n \a'),
        ('"a\\\nb"', "ab"),
        ('"a\nb\tc"', "a\nb\tc"),
        ('"costs 5$ | $, $"', "costs 5$ | $, $"),
        (r"\$HOME\ \*\|", "$HOME *|"),
        ("a#b", "a#b"),
        ("HEAD~1", "HEAD~1"),
        ("[", "["),
        ("]", "]"),
        ("{}", "{}"),
        ("a=b", "a=b"),
        ("!x", "!x"),
        ("é→🙂", "é→🙂"),
    ],
)
def test_quotes_and_signs_mean_what_they_mean_to_sh(written, word, tmp_path):
    line = f"docker exec agent echo {written}"
    assert parse_command(line).argv == ("echo", word)
    assert words_by_sh(line, tmp_path) == ["exec", "agent", "echo", word]


# Docker's options.


@pytest.mark.parametrize(
    "options",
    [
        "-w /tmp",
        "-w/tmp",
        "-w=/tmp",
        "--workdir /tmp",
        "--workdir=/tmp",
        "-itw /tmp",
        "-w /x -w /tmp",
    ],
)
def test_the_folder_can_be_written_in_every_way_that_docker_knows(options):
    assert parse_command(f"docker exec {options} agent ls").workdir == "/tmp"


@pytest.mark.parametrize("options", ["-e A=1", "-eA=1", "-e=A=1", "--env A=1", "--env=A=1"])
def test_a_variable_can_be_written_in_every_way_that_docker_knows(options):
    assert parse_command(f"docker exec {options} agent env").env == (("A", "1"),)


def test_variables_keep_their_order_and_the_last_value_of_a_name_counts():
    command = parse_command("docker exec -e A=1 -e B='x = y' -e A= agent env")
    assert command.env == (("A", ""), ("B", "x = y"))


@pytest.mark.parametrize(
    "options",
    [
        "-i",
        "-t",
        "-it",
        "-ti",
        "--interactive --tty",
        "--tty=false",
        "-it=true",
        "-u node",
        "--user=node",
        "--",
    ],
)
def test_options_that_change_nothing_are_let_pass(options):
    assert parse_command(f"docker exec {options} agent ls") == Command(("ls",))


def test_options_after_the_name_of_the_lab_belong_to_the_command():
    line = "docker exec -- agent ls -w -d --privileged --"
    assert parse_command(line).argv == ("ls", "-w", "-d", "--privileged", "--")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("-d", "Leave it out"),
        ("-itd", "-d would hide"),
        ("--detach", "--detach would hide"),
        ("--detach-keys=ctrl-a", "Leave out --detach-keys"),
        ("--privileged", "Leave out --privileged"),
        ("--env-file .env", "file of your own computer"),
        ("-u root", "always the user node"),
        ("-u=0:0", "always the user node"),
        ("--rm", "The option --rm can't be used here"),
        ("-x", "The option -x can't be used here"),
        ("-=true", "The option -= can't be used here"),
        ("--tty=perhaps", "true or false"),
        ("-i=", "true or false"),
        ("-w demo", "has to begin with /"),
        ("-w=", "has to begin with /"),
        ("-w ''", "has to begin with /"),
        ("-w /" + "x" * 4095, "Use a shorter one"),
        ("-e 1A=2", "After -e comes NAME=value"),
        ("-e 'A B=2'", "After -e comes NAME=value"),
        ("-e =2", "After -e comes NAME=value"),
        ("-e HOME", "-e HOME=value"),
        (" ".join(f"-e A{number}=1" for number in range(65)), "more than 64 names"),
    ],
)
def test_an_option_that_a_lab_has_not_is_refused_in_words(options, says):
    assert says in why_not(f"docker exec {options} agent ls")


# What does not run.


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "There is no command here"),
        (" \n\t\n", "There is no command here"),
        ("ls -l", "docker exec agent ls …"),
        ("$ docker exec agent ls", "Leave out the $"),
        ("sudo docker exec agent ls", "Leave out the sudo"),
        ("docker run -it agent sh", "this line says docker run"),
        ("docker", "Only docker exec runs here"),
        ("docker exec", "Write the name agent"),
        ("docker exec -it", "Write the name agent"),
        ("docker exec -w", "-w needs a value"),
        ("docker exec --env", "--env needs a value"),
        ("docker exec agent", "comes the command to run"),
        ("docker exec web ls", "Your lab is called agent, and this line asks for web"),
        ("docker exec - ls", "asks for -"),
        ("docker exec agent ls\ndocker exec agent ls", "more than one command"),
    ],
)
def test_a_line_that_is_not_for_the_lab_is_told_what_to_write(line, says):
    assert says in why_not(line)


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        ("ls | wc", "feed a program on your own computer"),
        ("ls || true", "own computer"),
        ("ls && pwd", "start something on your own computer"),
        ("sleep 9 &", "start something on your own computer"),
        ("ls ; pwd", "your own computer would go on"),
        ("ls > out", "write a file on your own computer"),
        ("ls 2>&1", "write a file on your own computer"),
        ("cat < in", "read from your own computer"),
        ("cat <<END\nx\nEND", "read from your own computer"),
        ("(ls)", "second shell"),
        ("echo a)", "second shell"),
        ("ls *.js", "files of your own computer"),
        ("ls ?.js", "files of your own computer"),
        ("ls [ab].js", "files of your own computer"),
        ("ls {a,b}.js", "different things to different shells"),
        ("ls {}{a,b}", "different things to different shells"),
        ("ls ~", "Write /home/node"),
        ("ls ~/demo", "Write /home/node"),
        ("env A=~", "Write /home/node"),
        ("ls # list", "begins a comment"),
        ("echo $HOME", "fill in what begins with $"),
        ("echo ${HOME}", "fill in what begins with $"),
        ("echo $(date)", "fill in what begins with $"),
        ("echo $?", "fill in what begins with $"),
        ("echo $'x'", "fill in what begins with $"),
        ('echo $"x"', "fill in what begins with $"),
        ("echo $\\\nHOME", "fill in what begins with $"),
        ("echo `date`", "run what follows `"),
        ('echo "$HOME"', "Write \\$ to leave that to the lab"),
        ('echo "a $(date)"', "Write \\$ to leave that to the lab"),
        ('echo "$[1+1]"', "Write \\$ to leave that to the lab"),
        ('echo "$\\\n\\\nHOME"', "Write \\$ to leave that to the lab"),
        ('echo "\\\\$HOME"', "Write \\$ to leave that to the lab"),
        ('echo "`date`"', "Write \\` to leave that to the lab"),
        ("echo 'it", "single quote ' opens here"),
        ('echo "it', 'double quote " opens here'),
        ('echo "it\\"', 'double quote " opens here'),
        ("echo it\\", "ends in a backslash"),
        ("ls\r\n", "Windows line end"),
        ("ls\N{NO-BREAK SPACE}-l", "looks like a space but is none (U+00A0)"),
        ("ls\N{IDEOGRAPHIC SPACE}-l", "looks like a space but is none (U+3000)"),
    ],
)
def test_what_the_readers_own_shell_would_act_on_is_refused_in_words(rest, says):
    assert says in why_not("docker exec agent " + rest)


@pytest.mark.parametrize(
    "line", ["docker exec agent ls |", "docker exec agent cat *", "docker run x"]
)
def test_what_can_not_run_here_may_be_run_at_home(line):
    assert why_not(line).endswith(("at home.", "at home"))


def test_a_line_of_64_kib_runs_and_one_byte_more_does_not():
    start = "docker exec agent echo "
    line = start + "é" * ((64 * 1024 - len(start)) // 2) + "x"
    assert len(line.encode()) == 64 * 1024
    assert len(parse_command(line).argv) == 2
    assert "65,537 bytes" in why_not(line + "x")


def test_a_nul_or_a_broken_character_is_refused_in_words():
    assert "NUL" in why_not("docker exec agent echo 'a\0b'")
    assert "broken character" in why_not("docker exec agent echo '\ud800'")


def test_a_refusal_shows_little_of_a_long_name_and_nothing_invisible():
    sentence = why_not("docker exec 'a\N{RIGHT-TO-LEFT OVERRIDE}\n" + "b" * 9999 + "' ls")
    assert sentence.isprintable()
    assert len(sentence) < 200


def test_a_command_without_a_name_is_refused():
    assert "comes the command to run" in why_not("docker exec agent '' x")


# For every line there is.

ANY_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.lists(ANY_TEXT, min_size=1).filter(lambda argv: argv[0]))
def test_every_list_of_words_comes_back_when_it_was_quoted(argv):
    assert parse_command("docker exec agent " + shlex.join(argv)).argv == tuple(argv)


SOUP = st.text(
    st.sampled_from("""ab 1  \t\n\\\\''""$$`#~=:[]{}*?;|&<>()!-/.%é🙂\x02\r"""), max_size=24
)
QUOTED_SOUP = st.lists(
    st.one_of(
        st.sampled_from(
            ["a", " ", "\\\n", "\\$", "\\`", '\\"', "\\'", "\\\\", "$ ", "#", "{}", "[ "]
        ),
        SOUP.map(shlex.quote),
        st.text(st.sampled_from("ab \t\n$'\\\\#~*|;%é\x02"), max_size=12).map(
            lambda text: f'"{text}"'
        ),
    ),
    max_size=8,
).map("".join)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(SOUP | QUOTED_SOUP)
def test_a_line_that_is_taken_is_read_exactly_as_sh_reads_it(tmp_path_factory, soup):
    line = "docker exec agent echo " + soup
    read = outcome(line)
    assume(isinstance(read, Command))
    assert ["exec", "agent", *read.argv] == words_by_sh(line, tmp_path_factory.getbasetemp())


@given(SOUP | st.text() | (SOUP | st.text()).map(lambda text: "docker exec " + text))
def test_no_line_does_worse_than_being_refused_in_a_sentence(line):
    assert outcome(line)
