#include "sweep/worker_pool.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "sim/error.h"

namespace dpusim::sweep {
namespace {

// Runs in the child between fork and exec: system calls only.
[[noreturn]] void become(char* const* argv, const char* cwd, const char* error_file, pid_t parent,
                         const sigset_t& mask) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before the line above
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD}) std::signal(signal, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int in = open("/dev/null", O_RDWR);
  const int error = open(error_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (in < 0 || error < 0) _exit(127);
  dup2(in, STDIN_FILENO);
  dup2(in, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  if (chdir(cwd) == 0) execv(argv[0], argv);
  const char* reason = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): one thread
  for (const char* text : {static_cast<const char*>(argv[0]), ": cannot be started: ", reason, "\n"}) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  }
  _exit(127);
}

}  // namespace

WorkerPool::~WorkerPool() {
  signal_all(SIGKILL);
  for (const auto& [pid, number] : numbers_) waitpid(pid, nullptr, 0);
}

void WorkerPool::start(std::uint64_t number, const std::vector<std::string>& command, const std::filesystem::path& cwd,
                       const std::filesystem::path& error_file) {
  std::vector<char*> argv;
  for (const std::string& text : command) argv.push_back(const_cast<char*>(text.c_str()));  // NOLINT: execv's type
  argv.push_back(nullptr);
  // SIGCHLD is blocked so that wait() can sleep until it comes.
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &before);
  sigset_t inside = before;
  sigdelset(&inside, SIGCHLD);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0)
    throw OutputError(
        fmt::format("no process can be made: {}", std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
  if (pid == 0) become(argv.data(), cwd.c_str(), error_file.c_str(), parent, inside);
  setpgid(pid, pid);  // here too: whoever comes first
  numbers_.emplace(pid, number);
}

std::optional<WorkerPool::End> WorkerPool::wait(int milliseconds) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (const auto& [pid, number] : numbers_) {
      int status = 0;
      const pid_t ended = waitpid(pid, &status, WNOHANG);
      if (ended != pid) continue;
      const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      const End end{number, signal != 0 ? 128 + signal : WEXITSTATUS(status), signal};
      numbers_.erase(pid);
      return end;
    }
    if (attempt == 1 || milliseconds <= 0) break;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    const timespec limit{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
    sigtimedwait(&child, nullptr, &limit);
  }
  return std::nullopt;
}

void WorkerPool::signal_all(int signal) const {
  for (const auto& [pid, number] : numbers_) kill(pid, signal);
}

}  // namespace dpusim::sweep
