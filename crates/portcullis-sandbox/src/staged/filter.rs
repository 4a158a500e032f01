//! The system calls that are refused, as seccomp takes them. Owns the list. Refused calls fail with "not permitted"; the one whose
//! arguments a filter cannot see fails as if the kernel were older, and programs fall back; foreign instruction sets end the program.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, TargetArch, sock_filter};

use super::held::Held;
use crate::{Network, channel::Plan};

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<TargetArch> = Some(TargetArch::x86_64);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<TargetArch> = Some(TargetArch::aarch64);
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: Option<TargetArch> = Some(TargetArch::riscv64);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const ARCHITECTURE: Option<TargetArch> = None;

/// Refused in every case.
const REFUSED: &[libc::c_long] = &[
    // Into other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Interfaces to the kernel that no filter sees into, or that are known for their bugs.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    // The keys of the user's session.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Other views of the files.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    // open_tree_attr, the same number everywhere
    467,
    libc::SYS_open_by_handle_at,
    libc::SYS_unshare,
    libc::SYS_setns,
    // The machine itself.
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
];

/// Objects of System V and message queues, where there is no namespace for them.
const SHARED: &[libc::c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// New namespaces, as `clone` is told them.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Requests to a terminal that put words into it as if a person had typed them, or take its messages.
const TERMINAL_REQUESTS: &[u32] = &[
    libc::TIOCSTI as u32,
    // TIOCLINUX
    0x541c,
    libc::TIOCCONS as u32,
    // TIOCSETD
    0x5423,
];

/// Calls that are refused whatever they are given, and do nothing when every argument is -1.
pub(super) fn refused_always() -> impl Iterator<Item = libc::c_long> {
    // This one takes no arguments.
    REFUSED.iter().copied().filter(|call| *call != libc::SYS_vhangup)
}

/// Puts it in force for this process and all that come from it.
pub(super) fn install(plan: &Plan, held: &Held) -> Result<(), String> {
    let Some(architecture) = ARCHITECTURE else {
        return Err("no filter is written for this processor".to_owned());
    };
    let program = program(rules(plan, held), architecture)?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

/// The calls that are refused: in every case where there are no conditions, otherwise where all of one list hold.
type Rules = BTreeMap<i64, Vec<Vec<Condition>>>;

/// What an argument is compared with. The kernel reads 32 bits of each of these arguments, and so do we: a comparison of all 64 would be
/// led astray by the others.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Condition {
    Is(u32, u32),
    IsNot(u32, u32),
    /// These bits of it are those.
    Has(u32, u32, u32),
    /// These bits of it are others.
    HasNot(u32, u32, u32),
}

use Condition::{Has, HasNot, Is, IsNot};

fn rules(plan: &Plan, held: &Held) -> Rules {
    let mut rules = Rules::new();
    let separate = held.namespaces.is_some();
    let shared = SHARED.iter().filter(|_| !separate);
    for call in REFUSED.iter().chain(shared) {
        rules.insert(*call, Vec::new());
    }
    for flag in NAMESPACES {
        let flag = flag.cast_unsigned();
        rules.entry(libc::SYS_clone).or_default().push(vec![Has(0, flag, flag)]);
    }
    for request in TERMINAL_REQUESTS {
        rules.entry(libc::SYS_ioctl).or_default().push(vec![Is(1, *request)]);
    }
    for device in [libc::S_IFCHR, libc::S_IFBLK] {
        rules.entry(libc::SYS_mknodat).or_default().push(vec![Has(2, libc::S_IFMT, device)]);
        #[cfg(target_arch = "x86_64")]
        rules.entry(libc::SYS_mknod).or_default().push(vec![Has(1, libc::S_IFMT, device)]);
    }
    if !separate {
        // Processes outside have numbers here, and these calls take them, or all of a user's. Nothing else keeps them apart.
        for (call, argument) in [
            (libc::SYS_prlimit64, 0),
            (libc::SYS_sched_setaffinity, 0),
            (libc::SYS_sched_setscheduler, 0),
            (libc::SYS_sched_setparam, 0),
            (libc::SYS_sched_setattr, 0),
            (libc::SYS_setpriority, 1),
            (libc::SYS_ioprio_set, 1),
        ] {
            rules.entry(call).or_default().push(vec![IsNot(argument, 0)]);
        }
        rules.entry(libc::SYS_setpriority).or_default().push(vec![IsNot(0, 0)]);
        // IOPRIO_WHO_PROCESS is 1.
        rules.entry(libc::SYS_ioprio_set).or_default().push(vec![IsNot(0, 1)]);
    }
    sockets(plan, separate, &mut rules);
    rules
}

/// What stands beside the type of a socket in the same argument. Every other bit must be one of a type that is allowed.
const FLAGS_OF_SOCKETS: i32 = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;

/// Which sockets there are. Both what is allowed of the families and what is allowed of the types is named: the kernel makes a socket
/// for datagrams of a raw one among Unix sockets, and such a one sends to any address.
fn sockets(plan: &Plan, separate: bool, rules: &mut Rules) {
    let number = libc::c_int::cast_unsigned;
    let no_type_of = |types: &[libc::c_int]| -> Vec<Condition> {
        types.iter().map(|kind| HasNot(1, !number(FLAGS_OF_SOCKETS), number(*kind))).collect()
    };
    let mut families = Vec::new();
    // In a network namespace of its own there is nothing to reach but itself.
    if separate || plan.profile.network == Network::Open {
        families.extend([number(libc::AF_INET), number(libc::AF_INET6)]);
    }
    let mut types = vec![libc::SOCK_STREAM, libc::SOCK_DGRAM];
    if plan.profile.unix_sockets {
        families.push(number(libc::AF_UNIX));
        types.push(libc::SOCK_SEQPACKET);
    }
    let others: Vec<_> = families.iter().map(|family| IsNot(0, *family)).collect();
    let refused = if others.is_empty() { Vec::new() } else { vec![others, no_type_of(&types)] };
    rules.insert(libc::SYS_socket, refused);
    let mut pairs = vec![libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
    if plan.profile.unix_sockets {
        // Otherwise one of a pair of these could send to any address.
        pairs.push(libc::SOCK_DGRAM);
    }
    let pairs = vec![vec![IsNot(0, number(libc::AF_UNIX))], no_type_of(&pairs)];
    rules.insert(libc::SYS_socketpair, pairs);
    if families.is_empty() {
        for call in [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen] {
            rules.insert(call, Vec::new());
        }
    }
}

/// The part of the program that answers for a call by its arguments.
fn depends(rules: &[Vec<Condition>]) -> Result<BpfProgram, String> {
    let mut part = Vec::new();
    for conditions in rules {
        let length = |condition: &Condition| match condition {
            Is(..) | IsNot(..) => 2,
            Has(..) | HasNot(..) => 3,
        };
        let mut left: usize = conditions.iter().map(length).sum();
        for condition in conditions {
            left -= length(condition);
            // Behind the others and the answer.
            let past = u8::try_from(left + 1).map_err(|error| error.to_string())?;
            let (Is(argument, _) | IsNot(argument, _) | Has(argument, ..) | HasNot(argument, ..)) =
                *condition;
            part.push(line(LOAD_WORD, 0, 0, ARGUMENTS + argument * 8));
            match *condition {
                Is(_, value) => part.push(line(JUMP_IF_EQUAL, 0, past, value)),
                IsNot(_, value) => part.push(line(JUMP_IF_EQUAL, past, 0, value)),
                Has(_, bits, value) => {
                    part.push(line(AND, 0, 0, bits));
                    part.push(line(JUMP_IF_EQUAL, 0, past, value));
                }
                HasNot(_, bits, value) => {
                    part.push(line(AND, 0, 0, bits));
                    part.push(line(JUMP_IF_EQUAL, past, 0, value));
                }
            }
        }
        part.push(line(RETURN, 0, 0, failing(libc::EPERM)));
    }
    part.push(line(RETURN, 0, 0, ALLOW));
    Ok(part)
}

/// What the filter answers from one number of a call on, up to the next that has an answer of its own.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Answer {
    /// The same in every case.
    Always(u32),
    /// It depends on the arguments, and this part of the program ends in the answer.
    Depends(BpfProgram),
}

/// The filter. The kernel walks through it once for every call that there is when it is put in force, and again whenever one is made
/// that it refuses only sometimes; and what it translates, and a program waits for, grows with its length. So the numbers are halved
/// until one answer is left, and neighbours with the same answer share it.
fn program(rules: Rules, architecture: TargetArch) -> Result<BpfProgram, String> {
    let number = |call: i64| u32::try_from(call).map_err(|error| error.to_string());
    let mut answers: BTreeMap<u32, Answer> = BTreeMap::new();
    for (call, conditions) in rules {
        let answer = if conditions.is_empty() {
            Answer::Always(failing(libc::EPERM))
        } else {
            Answer::Depends(depends(&conditions)?)
        };
        answers.insert(number(call)?, answer);
    }
    // What its arguments point to, no filter sees.
    answers.insert(number(libc::SYS_clone3)?, Answer::Always(failing(libc::ENOSYS)));
    let mut from: Vec<(u32, Answer)> = vec![(0, Answer::Always(ALLOW))];
    for (call, answer) in answers {
        for (call, answer) in [(call, answer), (call + 1, Answer::Always(ALLOW))] {
            // The one behind the last gives way to a rule of its own.
            if from.last().is_some_and(|(last, _)| *last == call) {
                from.pop();
            }
            if from.last().is_none_or(|(_, last)| *last != answer) {
                from.push((call, answer));
            }
        }
    }
    let mut whole = vec![
        // Numbers mean other calls to other instruction sets.
        line(LOAD_WORD, 0, 0, INSTRUCTION_SET),
        line(JUMP_IF_EQUAL, 1, 0, set(architecture)),
        line(RETURN, 0, 0, KILL_PROCESS),
        line(LOAD_WORD, 0, 0, NUMBER),
    ];
    if cfg!(target_arch = "x86_64") {
        // The same instruction set has a second table of calls, whose numbers a list of refused ones would not know.
        whole
            .extend([line(JUMP_IF_AT_LEAST, 0, 1, SECOND_TABLE), line(RETURN, 0, 0, KILL_PROCESS)]);
    }
    whole.extend(halved(&from)?);
    Ok(whole)
}

/// The part of the program that finds the answer among these.
fn halved(from: &[(u32, Answer)]) -> Result<BpfProgram, String> {
    match from {
        [] => Ok(Vec::new()),
        [(_, Answer::Always(answer))] => Ok(vec![line(RETURN, 0, 0, *answer)]),
        [(_, Answer::Depends(part))] => Ok(part.clone()),
        _ => {
            let (lower, upper) = from.split_at(from.len() / 2);
            let first = upper.first().map_or(0, |(first, _)| *first);
            let (lower, upper) = (halved(lower)?, halved(upper)?);
            // A condition leads no further than a byte can say.
            let mut part = if let Ok(distance) = u8::try_from(lower.len()) {
                vec![line(JUMP_IF_AT_LEAST, distance, 0, first)]
            } else {
                let distance = u32::try_from(lower.len()).map_err(|error| error.to_string())?;
                vec![line(JUMP_IF_AT_LEAST, 0, 1, first), line(JUMP, 0, 0, distance)]
            };
            part.extend(lower);
            part.extend(upper);
            Ok(part)
        }
    }
}

const LOAD_WORD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
const KILL_PROCESS: u32 = 0x8000_0000;
const ALLOW: u32 = 0x7fff_0000;
const SECOND_TABLE: u32 = 0x4000_0000;
const AND: u16 = 0x54;
/// Where the number of the call stands in what a filter is given, the instruction set, and the arguments, of whose 64 bits the lower
/// half comes first on all of these processors.
const NUMBER: u32 = 0;
const INSTRUCTION_SET: u32 = 4;
const ARGUMENTS: u32 = 16;

const fn line(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The answer "fails with this error".
const fn failing(number: i32) -> u32 {
    const FAILS: u32 = 0x0005_0000;
    FAILS | number.cast_unsigned()
}

/// The instruction set, as the kernel numbers them (`AUDIT_ARCH_…` of linux/audit.h).
const fn set(architecture: TargetArch) -> u32 {
    match architecture {
        TargetArch::x86_64 => 0xc000_003e,
        TargetArch::aarch64 => 0xc000_00b7,
        TargetArch::riscv64 => 0xc000_00f3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the program answers to a call; jumps go forward, so this ends.
    fn answer(
        program: &[sock_filter],
        instruction_set: u32,
        number: u32,
        arguments: [u32; 2],
    ) -> u32 {
        let mut loaded = 0;
        let mut at = 0;
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            at += 1;
            match code {
                LOAD_WORD => {
                    loaded = match k {
                        NUMBER => number,
                        INSTRUCTION_SET => instruction_set,
                        16 => arguments[0],
                        24 => arguments[1],
                        _ => 0,
                    }
                }
                JUMP => at += k as usize,
                JUMP_IF_EQUAL => at += usize::from(if loaded == k { jt } else { jf }),
                JUMP_IF_AT_LEAST => at += usize::from(if loaded >= k { jt } else { jf }),
                AND => loaded &= k,
                RETURN => return k,
                other => panic!("{other:#x}"),
            }
        }
    }

    #[test]
    fn every_call_comes_to_its_rule_and_no_other_does() {
        let Some(architecture) = ARCHITECTURE else { return };
        let mut rules = Rules::new();
        for call in REFUSED.iter().chain(SHARED) {
            rules.insert(*call, Vec::new());
        }
        let request = libc::TIOCSTI as u32;
        rules.insert(libc::SYS_ioctl, vec![vec![Is(1, request)]]);
        let family = libc::AF_INET.cast_unsigned();
        rules.insert(libc::SYS_socket, vec![vec![IsNot(0, family), IsNot(0, family + 1)]]);
        let pair = vec![vec![IsNot(0, 1)], vec![Has(1, 0xf, 2)]];
        rules.insert(libc::SYS_socketpair, pair);
        let program = program(rules, architecture).unwrap();
        let (allow, refuse) = (ALLOW, failing(libc::EPERM));
        for number in 0..1_000_u32 {
            let call = i64::from(number);
            if call == libc::SYS_socket || call == libc::SYS_socketpair {
                continue;
            }
            let expected = if call == libc::SYS_clone3 {
                failing(libc::ENOSYS)
            } else if REFUSED.contains(&call) || SHARED.contains(&call) {
                refuse
            } else {
                allow
            };
            assert_eq!(answer(&program, set(architecture), number, [0, 0]), expected, "{number}");
            assert_eq!(answer(&program, 0x4000_0003, number, [0, 0]), KILL_PROCESS, "{number}");
        }
        let ioctl = u32::try_from(libc::SYS_ioctl).unwrap();
        let typed = answer(&program, set(architecture), ioctl, [0, libc::TIOCSTI as u32]);
        assert_eq!(typed, refuse);
        let socket = u32::try_from(libc::SYS_socket).unwrap();
        let pair = u32::try_from(libc::SYS_socketpair).unwrap();
        for (call, arguments, expected) in [
            (socket, [family, 1], allow),
            (socket, [family + 1, 1], allow),
            (socket, [1, 1], refuse),
            (pair, [1, 1], allow),
            (pair, [2, 1], refuse),
            (pair, [1, 2], refuse),
            (pair, [1, 0x802], refuse),
        ] {
            let found = answer(&program, set(architecture), call, arguments);
            assert_eq!(found, expected, "{call} {arguments:?}");
        }
        let only = |kinds: &[u32]| -> Vec<Condition> {
            kinds.iter().map(|kind| HasNot(1, !FLAGS_OF_SOCKETS.cast_unsigned(), *kind)).collect()
        };
        let rules = Rules::from([(libc::SYS_socketpair, vec![vec![IsNot(0, 1)], only(&[1, 5])])]);
        let types = super::program(rules, architecture).unwrap();
        for kind in 0..64_u32 {
            for flags in [0, libc::SOCK_CLOEXEC, libc::SOCK_NONBLOCK, FLAGS_OF_SOCKETS] {
                let given = [1, kind | flags.cast_unsigned()];
                let expected = if matches!(kind, 1 | 5) { allow } else { refuse };
                let found = answer(&types, set(architecture), pair, given);
                assert_eq!(found, expected, "a pair of type {kind} with {flags:#x}");
            }
        }
        if cfg!(target_arch = "x86_64") {
            assert_eq!(
                answer(&program, set(architecture), SECOND_TABLE | 39, [0, 0]),
                KILL_PROCESS
            );
        }
    }
}
